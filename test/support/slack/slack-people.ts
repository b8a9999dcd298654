import { z } from "zod";
import { buttonsOf, checkMessage, valueOf } from "./slack-blocks.ts";
import type { Delivery, SlackDeliveries } from "./slack-deliveries.ts";
import type { MethodContext } from "./slack-method.ts";
import { asJson } from "./slack-methods.ts";
import type { EphemeralMessage, Modal, SlackMessage, SlackWorkspace } from "./slack-model.ts";

export interface Speech {
  readonly text: string;
  /** A user id; defaults to Ana's. */
  readonly user?: string;
  /** A channel id; defaults to `C0001`. */
  readonly channel?: string;
  readonly threadTs?: string;
  readonly file?: { readonly name: string; readonly mediaType: string; readonly data: Uint8Array };
  /** Text of a forwarded message. */
  readonly quoting?: string;
}

export interface SlackSaid {
  readonly ts: string;
  readonly channel: string;
  isAnswered(): boolean;
  readonly answered: Promise<void>;
}

const answerSchema = z.object({
  response_type: z.enum(["ephemeral", "in_channel"]),
  text: z.string().optional(),
  blocks: z.array(z.unknown()).optional(),
});

/** Response with which an app keeps a form open. Source: Slack docs, Modals, Displaying errors. */
const errorsSchema = z.strictObject({
  response_action: z.literal("errors"),
  errors: z.record(z.string(), z.string().min(1)),
});

/** An element's value as Slack reports it. */
function stateOf({ type, value, choices }: Modal["inputs"][number]): object {
  if (type === "conversations_select") return { type, selected_conversation: value === "" ? null : value };
  if (type === "plain_text_input") return { type, value: value === "" ? null : value };
  if (value !== "" && !choices.includes(value)) throw new Error(`there is nothing to choose called ${value}`);
  return { type, selected_option: value === "" ? null : { text: { type: "plain_text", text: value }, value } };
}

/** What people do in the local Slack; each action is delivered to the app as Slack would. */
export class SlackPeople {
  readonly #context: MethodContext;
  readonly #deliveries: SlackDeliveries;
  #events = 0;

  constructor(context: MethodContext, deliveries: SlackDeliveries) {
    this.#context = context;
    this.#deliveries = deliveries;
  }

  get #workspace(): SlackWorkspace {
    return this.#context.workspace;
  }

  say({ text, user = "U0ANA", channel = "C0001", threadTs, file, quoting }: Speech): SlackSaid {
    this.#workspace.channel(channel);
    const files =
      file === undefined
        ? []
        : [this.#workspace.addFile({ name: file.name, mimetype: file.mediaType, data: file.data })];
    const attachments =
      quoting === undefined ? [] : [{ is_share: true, author_name: "bob", text: quoting, fallback: quoting }];
    return this.deliver(this.#workspace.add({ channel, user, text, threadTs: threadTs ?? null, files, attachments }));
  }

  /** Says something, preceded by a mention of the bot. */
  mention(speech: Speech): SlackSaid {
    return this.say({ ...speech, text: `<@${this.#workspace.botUserId}> ${speech.text}` });
  }

  /**
   * Delivers a message, possibly again: as `message`, and as `app_mention` if it mentions the bot outside a direct
   * message.
   */
  deliver(message: SlackMessage): SlackSaid {
    const deliveries = [this.event({ ...this.#messageEvent(message), type: "message" })];
    const isDm = this.#workspace.channel(message.channel).kind === "im";
    if (message.text.includes(`<@${this.#workspace.botUserId}>`) && !isDm && !message.byBot) {
      const { channel_type: _, ...mention } = this.#messageEvent(message);
      deliveries.push(this.event({ ...mention, type: "app_mention" }));
    }
    return {
      ts: message.ts,
      channel: message.channel,
      isAnswered: () => deliveries.every((delivery) => delivery.isAnswered()),
      answered: Promise.all(deliveries.map((delivery) => delivery.answered)).then(() => undefined),
    };
  }

  /**
   * Edits a message. Slack reports the change, and delivers a mention in the new text even if the old text had it too.
   */
  edit(message: SlackMessage, text: string): Delivery[] {
    const previous = this.#messageEvent(message);
    message.text = text;
    message.edited = true;
    const { channel_type, ...now } = this.#messageEvent(message);
    const changed = this.event({
      type: "message",
      subtype: "message_changed",
      hidden: true,
      channel: message.channel,
      channel_type,
      ts: this.#workspace.nextTs(),
      message: now,
      previous_message: previous,
    });
    const isMention = text.includes(`<@${this.#workspace.botUserId}>`) && channel_type !== "im";
    return isMention ? [changed, this.event({ ...now, type: "app_mention" })] : [changed];
  }

  /** Deletes a message. If it has replies, a tombstone takes its place. */
  delete(message: SlackMessage): Delivery {
    const { messages } = this.#workspace;
    const { channel, ts } = message;
    const { channel_type, ...previous_message } = this.#messageEvent(message);
    const at = { type: "message", hidden: true, channel, channel_type, ts: this.#workspace.nextTs(), previous_message };
    const place = messages.indexOf(message);
    if (this.#workspace.thread(channel, ts).length === 1) {
      messages.splice(place, 1);
      return this.event({ ...at, subtype: "message_deleted", deleted_ts: ts });
    }
    const raw = { subtype: "tombstone", hidden: true };
    const stone = this.#workspace.add({ channel, user: "USLACKBOT", text: "This message was deleted.", ts, raw });
    messages.splice(messages.indexOf(stone), 1);
    messages.splice(place, 1, stone);
    return this.event({ ...at, subtype: "message_changed", message: asJson(stone, this.#context, false) });
  }

  /** Looks at something else while the pane is open. */
  lookAt(entities: readonly object[], user = "U0ANA"): Delivery {
    return this.event({
      type: "app_context_changed",
      user,
      channel: "D0001",
      context: entities.length === 0 ? {} : { entities },
      event_ts: this.#workspace.nextTs(),
    });
  }

  #messageEvent(message: SlackMessage): { channel_type: string } & Record<string, unknown> {
    const { kind } = this.#workspace.channel(message.channel);
    const subtype = message.files.length > 0 ? { subtype: "file_share" } : {};
    return {
      ...asJson(message, this.#context, false),
      ...subtype,
      channel: message.channel,
      channel_type: kind,
      event_ts: message.ts,
      client_msg_id: message.ts,
    };
  }

  /** Sends any event of the Events API; `envelope` replaces fields of the envelope. */
  event(event: Readonly<Record<string, unknown>>, envelope: Readonly<Record<string, unknown>> = {}): Delivery {
    this.#events += 1;
    return this.#deliveries.deliver("events_api", {
      type: "event_callback",
      token: "unused",
      team_id: this.#workspace.teamId,
      api_app_id: "A0001",
      event,
      event_id: `Ev${this.#events}`,
      event_time: Math.floor(Date.now() / 1_000),
      authorizations: [{ team_id: this.#workspace.teamId, user_id: this.#workspace.botUserId, is_bot: true }],
      ...envelope,
    });
  }

  /** Clicks a visible button of the message. */
  click(channel: string, ts: string, { actionId, user = "U0ANA" }: { actionId: string; user?: string }): Delivery {
    const message = this.#workspace.find(channel, ts);
    if (message === undefined || !buttonsOf(message.blocks).some(({ id }) => id === actionId)) {
      throw new Error(`there is no button ${actionId} on the message`);
    }
    return this.#pressed(user, actionId, {
      container: { type: "message", message_ts: ts, channel_id: channel, is_ephemeral: false },
      channel: { id: channel, name: this.#workspace.channel(channel).name },
      message: asJson(message, this.#context, false),
      response_url: this.#workspace.giveResponseUrl(this.#context.origin, { channel, user, messageTs: ts }),
    });
  }

  /** Delivers Slack's report of a click, and where it was. */
  #pressed(user: string, actionId: string, { value, ...place }: Readonly<Record<string, unknown>>): Delivery {
    const name = this.#workspace.users.get(user)?.name ?? user;
    return this.#deliveries.deliver("interactive", {
      type: "block_actions",
      team: { id: this.#workspace.teamId, domain: "acme" },
      user: { id: user, username: name, name, team_id: this.#workspace.teamId },
      api_app_id: "A0001",
      trigger_id: this.#workspace.nextTrigger(),
      ...place,
      actions: [
        {
          type: "button",
          action_id: actionId,
          block_id: "b",
          action_ts: this.#workspace.nextTs(),
          ...(value === undefined ? {} : { value }),
        },
      ],
    });
  }

  /** Adds the bot to a channel. */
  invite(channel: string, user = "U0ANA"): Delivery {
    this.#workspace.channel(channel);
    return this.event({
      type: "member_joined_channel",
      user: this.#workspace.botUserId,
      channel,
      channel_type: "C",
      team: this.#workspace.teamId,
      inviter: user,
      event_ts: this.#workspace.nextTs(),
    });
  }

  /** Opens the app's page. */
  openHome(user = "U0ANA", tab: "home" | "messages" | "about" = "home"): Delivery {
    const event_ts = this.#workspace.nextTs();
    return this.event({ type: "app_home_opened", user, channel: "D0001", tab, event_ts });
  }

  /** Clicks a button of the home tab. */
  clickHome(actionId: string, user = "U0ANA"): Delivery {
    const blocks = this.#workspace.homes.get(user) ?? [];
    if (!buttonsOf(blocks).some(({ id }) => id === actionId)) throw new Error(`the home tab has no button ${actionId}`);
    return this.#pressed(user, actionId, {
      container: { type: "view", view_id: `V${user}` },
      view: { id: `V${user}`, type: "home", blocks },
    });
  }

  /**
   * Fills in and submits the form that was opened last; it stays open if the app reports errors. Values are by block
   * id; others stay as they are.
   */
  submit(values: Readonly<Record<string, string>>, user = "U0ANA"): Delivery {
    const [id, form] = [...this.#workspace.forms].at(-1) ?? [];
    if (id === undefined || form === undefined) throw new Error("there is no form");
    const filled = form.inputs.map((input) => ({ ...input, value: values[input.block_id] ?? input.value }));
    const lacking = filled.find(({ optional, value }) => !optional && value === "");
    if (lacking !== undefined) throw new Error(`Slack keeps the form open: ${lacking.block_id} is required`);
    const state = filled.map((input) => [input.block_id, { [input.action_id]: stateOf(input) }] as const);
    const delivery = this.#deliveries.deliver("interactive", {
      type: "view_submission",
      team: { id: this.#workspace.teamId, domain: "acme" },
      user: { id: user, name: user, team_id: this.#workspace.teamId },
      api_app_id: "A0001",
      trigger_id: this.#workspace.nextTrigger(),
      view: { id, ...form, type: "modal", state: { values: Object.fromEntries(state) } },
      response_urls: [],
    });
    const shown = async () => {
      await delivery.answered;
      const answer = delivery.response();
      // Over HTTP the answer is text.
      const refused = errorsSchema.safeParse(typeof answer === "string" ? JSON.parse(answer) : answer);
      if (refused.success) this.#workspace.forms.set(id, { ...form, inputs: filled, errors: refused.data.errors });
      else this.#workspace.forms.delete(id);
    };
    return { ...delivery, answered: shown() };
  }

  /** Begins a thread in the assistant's pane; returns its root's ts. */
  openPane(user = "U0ANA", channel = "D0001"): string {
    const root = this.#workspace.add({ channel, user: this.#workspace.botUserId, text: "New Assistant Thread" });
    this.event({
      type: "assistant_thread_started",
      assistant_thread: { user_id: user, context: {}, channel_id: channel, thread_ts: root.ts },
      event_ts: this.#workspace.nextTs(),
    });
    return root.ts;
  }

  /** Adds an emoji to a message. */
  react(message: SlackMessage, reaction: string, user = "U0ANA"): Delivery {
    return this.event({
      type: "reaction_added",
      user,
      reaction,
      item_user: message.user,
      item: { type: "message", channel: message.channel, ts: message.ts },
      event_ts: this.#workspace.nextTs(),
    });
  }

  /** Chooses a shortcut from a message's menu, which Slack offers on every message, even where the bot is not. */
  shortcut(message: SlackMessage, callbackId: string, user = "U0ANA"): Delivery {
    const { workspace } = this.#context;
    const { id, name, kind, isPrivate } = workspace.channel(message.channel);
    const shownName = isPrivate === true ? "privategroup" : name;
    return this.#deliveries.deliver("interactive", {
      type: "message_action",
      token: "unused",
      callback_id: callbackId,
      trigger_id: workspace.nextTrigger(),
      action_ts: workspace.nextTs(),
      message_ts: message.ts,
      response_url: workspace.giveResponseUrl(this.#context.origin, { channel: id, user }),
      team: { id: workspace.teamId, domain: "acme" },
      user: { id: user, username: user, name: user, team_id: workspace.teamId },
      channel: { id, name: kind === "im" ? "directmessage" : shownName },
      message: asJson(message, this.#context, false),
      is_enterprise_install: false,
      enterprise: null,
    });
  }

  /** Clicks a button of a message that only this person sees; Slack then omits the message. */
  clickEphemeral(ephemeral: EphemeralMessage | undefined, actionId: string): Delivery {
    if (ephemeral === undefined || !buttonsOf(ephemeral.blocks).some(({ id }) => id === actionId)) {
      throw new Error(`nobody is shown a button ${actionId}`);
    }
    const { channel, threadTs, user } = ephemeral;
    const value = valueOf(ephemeral.blocks, actionId);
    return this.#pressed(user, actionId, {
      ...(value === undefined ? {} : { value }),
      container: {
        type: "message",
        message_ts: this.#workspace.nextTs(),
        channel_id: channel,
        is_ephemeral: true,
        ...(threadTs === null ? {} : { thread_ts: threadTs }),
      },
      channel: { id: channel, name: this.#workspace.channel(channel).name },
      response_url: this.#workspace.giveResponseUrl(this.#context.origin, { channel, user }),
    });
  }

  /** Types a slash command in a channel. */
  command(command: string, text: string, { user = "U0ANA", channel = "C0001" } = {}): Delivery {
    const delivery = this.#deliveries.deliver("slash_commands", {
      command,
      text,
      user_id: user,
      user_name: this.#workspace.users.get(user)?.name ?? user,
      team_id: this.#workspace.teamId,
      team_domain: "acme",
      channel_id: channel,
      channel_name: this.#workspace.channel(channel).name,
      api_app_id: "A0001",
      trigger_id: this.#workspace.nextTrigger(),
      response_url: this.#workspace.giveResponseUrl(this.#context.origin, { channel, user }),
    });
    return { ...delivery, answered: delivery.answered.then(() => refuseWrongAnswer(delivery.response())) };
  }
}

/** Rejects answers to a command that are no valid message, of which Slack would show nothing. */
function refuseWrongAnswer(answer: unknown): void {
  // Over HTTP the answer is text.
  const fields = typeof answer === "string" && answer !== "" ? JSON.parse(answer) : answer;
  const message = answerSchema.safeParse(fields);
  if (!message.success) return;
  const { text = "", blocks } = message.data;
  const args = { text, ...(blocks === undefined ? {} : { blocks: JSON.stringify(blocks) }) };
  const problem = checkMessage(args, { maxTextChars: 40_000 });
  if (problem !== null) throw new Error(`Slack shows no answer to the command: ${problem}`);
}
