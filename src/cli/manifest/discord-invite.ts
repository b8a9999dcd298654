/** Permissions that the bot uses in a server. Bit positions: Discord docs, Permissions, “Bitwise Permission Flags”. */
const PERMISSIONS = [
  { bit: 10n, name: "View Channels" },
  { bit: 11n, name: "Send Messages" },
  { bit: 38n, name: "Send Messages in Threads" },
  { bit: 35n, name: "Create Public Threads" },
  { bit: 36n, name: "Create Private Threads" },
  { bit: 16n, name: "Read Message History" },
  { bit: 15n, name: "Attach Files" },
  { bit: 14n, name: "Embed Links" },
  { bit: 6n, name: "Add Reactions" },
] as const;

/** Instructions for creating and inviting the bot, as lines of text. */
export function discordInvite(applicationId: string): string[] {
  const bits = PERMISSIONS.reduce((sum, { bit }) => sum | (1n << bit), 0n);
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: "bot applications.commands",
    permissions: bits.toString(),
  });
  return [
    "1. Developer Portal → New Application. Pass its Application ID to this command as --app-id.",
    "2. Bot → Reset Token: the value of DISCORD_TOKEN.",
    "3. Bot → Privileged Gateway Intents → turn MESSAGE CONTENT INTENT on. Without it Discord hides the text",
    "   of messages that do not mention the bot, and refuses the connection (close code 4014).",
    "4. Open this address and choose the server:",
    `   https://discord.com/oauth2/authorize?${query.toString()}`,
    `   It asks for: ${PERMISSIONS.map(({ name }) => name).join(", ")}.`,
  ];
}
