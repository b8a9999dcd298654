import type { AddSubcommand } from "../cli/subcommand.ts";
import { addUser } from "./accounts/subcommand.ts";
import { addSettings } from "./configuration/subcommand.ts";
import { addMcp } from "./mcp/sign-in/subcommand.ts";
import { addMemory } from "./memory/subcommand.ts";
import { addKeys } from "./providers/subcommand.ts";
import { addData } from "./retention/subcommand.ts";

/** Subcommands that features add to `deckhand …`, in the order of its help. */
export const SUBCOMMANDS: readonly AddSubcommand[] = [addMemory, addUser, addKeys, addMcp, addData, addSettings];
