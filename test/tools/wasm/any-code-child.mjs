/** A compromised sandbox child: it runs the input of a call as its own code, as after a native escape. */
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
