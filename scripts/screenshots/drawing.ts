export interface DrawnMessage {
  readonly author: string;
  readonly byBot: boolean;
  /** As the platform's server received it. */
  readonly markdown: string;
  readonly buttons: readonly string[];
  readonly reactions: readonly string[];
}

export interface Drawing {
  readonly platform: "Slack" | "Discord";
  readonly asking: readonly DrawnMessage[];
  readonly done: readonly DrawnMessage[];
  /** Renders Markdown to HTML. */
  readonly render: (markdown: string) => string;
  /** Renders one line of Markdown to HTML. */
  readonly inline: (markdown: string) => string;
}

/** Draws a thread at two moments, side by side, as an HTML page. It imitates no client. */
export function drawThread({ platform, asking, done, ...drawing }: Drawing): string {
  const column = (title: string, messages: readonly DrawnMessage[]) =>
    `<section><h2>${title}</h2>${messages.map((message) => drawMessage(message, drawing)).join("")}</section>`;
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>
<main><div class="columns">${column("When it asks", asking)}${column("When it has ended", done)}</div>
<footer>${platform} thread, rendered from the messages the local ${platform} server received; not a screenshot of ${platform}.</footer></main>`;
}

function drawMessage(
  { author, byBot, markdown, buttons, reactions }: DrawnMessage,
  { render, inline }: Pick<Drawing, "render" | "inline">,
): string {
  const row = buttons.map((label) => `<span class="button">${inline(label)}</span>`).join("");
  const signs = reactions.map((name) => `<span class="reaction">${escaped(name)}</span>`).join("");
  return `<article class="${byBot ? "bot" : "person"}"><b class="avatar">${escaped(author.charAt(0).toUpperCase())}</b>
<div><p class="author">${escaped(author)}${byBot ? "<i>APP</i>" : ""}</p>${render(markdown)}
${row === "" ? "" : `<p class="row">${row}</p>`}${signs === "" ? "" : `<p class="row">${signs}</p>`}</div></article>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const STYLE = `
  body { margin: 0; font: 15px/1.5 system-ui, "Noto Sans", "DejaVu Sans", sans-serif; color: #1b2126; background: #fff; }
  main { padding: 20px 24px 14px; }
  .columns { display: grid; grid-template-columns: 1fr 1fr; gap: 24px; align-items: start; }
  section { border: 1px solid #e2e5e8; border-radius: 10px; padding: 14px 18px 18px; }
  h2 { margin: 0 0 4px; font-size: 12px; font-weight: 600; color: #56616b; }
  article { display: flex; gap: 12px; margin-top: 14px; }
  article > div { min-width: 0; }
  .avatar { flex: none; width: 34px; height: 34px; border-radius: 8px; display: grid; place-items: center;
    color: #fff; background: #7b6148; }
  .bot .avatar { background: #155e75; }
  p { margin: 0 0 4px; }
  .author { font-weight: 700; margin: 0; }
  .author i { font: 600 10px/1.4 inherit; font-style: normal; font-size: 10px; color: #56616b; background: #eef0f2;
    border-radius: 3px; padding: 1px 4px; margin-left: 6px; vertical-align: 1px; }
  code { font: 13px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; background: #f1f3f4; border-radius: 4px; padding: 1px 4px; }
  .code-head { display: none; }
  pre { margin: 6px 0; padding: 8px 0; border: 1px solid #e2e5e8; border-radius: 8px; background: #f7f8f9; overflow: hidden; }
  pre code { display: block; background: none; padding: 0 12px; white-space: pre-wrap; }
  pre .diff { padding: 0; }
  .diff > * { display: block; padding: 0 12px; text-decoration: none; }
  .diff > ins { color: #1d6b3c; background: #e8f5ec; }
  .diff > del { color: #b3261e; background: #fdf0ee; }
  .diff > .hunk { color: #56616b; }
  .row { flex-wrap: wrap; display: flex; gap: 8px; margin-top: 8px; }
  .button { border: 1px solid #c5ccd3; border-radius: 6px; padding: 3px 12px; font-size: 13px; font-weight: 600; }
  .reaction { border-radius: 10px; background: #e6f2f5; padding: 0 8px; font-size: 12px; }
  .sign { width: 1em; height: 1em; vertical-align: -0.12em; fill: none; stroke: #155e75; stroke-width: 2.4;
    stroke-linecap: round; stroke-linejoin: round; }
  footer { margin-top: 12px; font-size: 12px; color: #56616b; }
`;
