/** A sandbox child with a hole: what a call brings is run as the process's own code, as a native escape would. */
const AsyncFunction = (async () => {}).constructor;

async function answer(id, code) {
  const said = await new AsyncFunction("load", code)((name) => import(name)).catch((error) => `${error.code ?? error}`);
  process.send({ id, news: { type: "ok", output: String(said) } });
}

process.on("message", ({ type, id, input }) => {
  if (type !== "run") return;
  answer(id, input).catch((error) => {
    throw error;
  });
});
