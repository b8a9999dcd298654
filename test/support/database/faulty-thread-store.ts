import type { InsertOutcome, NewLocalMessage } from "../../../src/core/store/web-threads.ts";
import { MemoryThreadStore } from "./memory-thread-store.ts";

/** A store in which the bot's next post can fail before or after it is written. */
export class FaultyThreadStore extends MemoryThreadStore {
  nextPost: "works" | "fails" | "loses_response" = "works";

  override async insert(message: NewLocalMessage, opens: { readonly title: string } | null): Promise<InsertOutcome> {
    if (message.fromPerson) return super.insert(message, opens);
    const fault = this.nextPost;
    this.nextPost = "works";
    if (fault === "fails") throw new Error("the database is away");
    const outcome = await super.insert(message, opens);
    if (fault === "loses_response") throw new Error("the database went away");
    return outcome;
  }
}
