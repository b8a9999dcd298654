import { ComponentType } from "discord.js";
import { colourNote } from "../../render/card-colour.ts";
import { captionOf, fileNameOf } from "./embeds.ts";
import { componentSchema, type WireComponent } from "./message-schema.ts";

const SELECTS: ReadonlySet<number> = new Set([
  ComponentType.StringSelect,
  ComponentType.UserSelect,
  ComponentType.RoleSelect,
  ComponentType.MentionableSelect,
  ComponentType.ChannelSelect,
]);

/** Maximum number of components read of one message; Discord allows 40, three levels deep. */
const MOST = 100;
const DEEPEST = 8;

/** All components of a message in reading order, each before its children. */
export function everyComponent(components: readonly unknown[]): readonly WireComponent[] {
  const found: WireComponent[] = [];
  const visit = (value: unknown, depth: number) => {
    const { data } = componentSchema.safeParse(value);
    if (data === undefined || depth > DEEPEST || found.length >= MOST) return;
    found.push(data);
    for (const inner of data.components) visit(inner, depth + 1);
    visit(data.accessory, depth + 1);
  };
  for (const each of components) visit(each, 0);
  return found;
}

/** The text of components, with a line for each that has any. */
export function componentsText(components: readonly unknown[], readable: (text: string) => string): string {
  return everyComponent(components)
    .flatMap((component) => componentLines(component, readable))
    .join("\n");
}

/** The text of one component itself. Unknown types are read by the usual fields. */
function componentLines(component: WireComponent, readable: (text: string) => string): string[] {
  const { type, label, emoji, url, placeholder, options, items, media, file, name } = component;
  if (type === ComponentType.Button) {
    const shown = [label || emoji?.name, url].filter(Boolean);
    return shown.length === 0 ? [] : [`[button: ${shown.join(" ")}]`];
  }
  if (SELECTS.has(type)) {
    const choices = options.map(choice).join(", ");
    return [`[menu: ${[placeholder, choices].filter(Boolean).join(": ")}]`];
  }
  if (type === ComponentType.Container) return [colourNote(component.accent_color)].filter(Boolean);
  if (file !== undefined) return [`[file: ${name === "" ? fileNameOf(file.url) : name}]`];
  const pictures = media === undefined ? items : [{ media, description: component.description }];
  if (pictures.length > 0)
    return pictures.map(({ media: shown, description }) => `[image: ${captionOf({ ...shown, description })}]`);
  return [readable(component.content), label, component.description].filter((text) => text !== "");
}

function choice({ label, description, default: isChosen }: WireComponent["options"][number]): string {
  const more = [description, isChosen ? "chosen" : ""].filter(Boolean).join("; ");
  return more === "" ? label : `${label} (${more})`;
}
