import { InteractionType } from "discord.js";
import type { Completion, InboundCompletion, Receive } from "../../../core/platform/inbound.ts";
import { cut } from "../../../core/text/plain-text.ts";
import { actorOf, type ChannelContext, interactionKey, locationOf, threadOf } from "../inbound.ts";
import { CHOICE_CHARS, CHOICES } from "../limits.ts";
import { timeOf } from "../snowflake.ts";
import type { CommandOption, WireInteractionOf } from "../wire.ts";

type Autocomplete = WireInteractionOf<InteractionType.ApplicationCommandAutocomplete>;

/** The choices shown under an option while somebody types in it; none for people who are not served. */
export async function choicesFor(
  interaction: Autocomplete,
  place: ChannelContext,
  receive: Receive,
): Promise<readonly object[]> {
  const event = inboundCompletion(interaction, place);
  const receipt = event === null ? null : await receive(event);
  return receipt?.type === "completions" ? receipt.words.filter(fits).slice(0, CHOICES).map(choice) : [];
}

function fits({ value }: Completion): boolean {
  return value !== "" && value.length <= CHOICE_CHARS;
}

function choice({ value, label }: Completion): object {
  return { name: cut(label, CHOICE_CHARS), value };
}

function inboundCompletion(interaction: Autocomplete, place: ChannelContext): InboundCompletion | null {
  const who = actorOf(interaction);
  const focused = focusedIn(interaction.data.options);
  if (who === null || focused === null) return null;
  return {
    kind: "completion",
    key: interactionKey(interaction),
    ...locationOf(place, threadOf(place, null)),
    person: who,
    at: timeOf(interaction.id),
    command: interaction.data.name,
    ...focused,
  };
}

/** Finds the option being typed, in the command or in one of its subcommands. */
function focusedIn(options: readonly CommandOption[]): Pick<InboundCompletion, "option" | "typed"> | null {
  for (const { name, value, focused, options: inner = [] } of options) {
    if (focused === true) return { option: [name], typed: String(value ?? "") };
    const found = focusedIn(inner);
    if (found !== null) return { ...found, option: [name, ...found.option] };
  }
  return null;
}
