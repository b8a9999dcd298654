import { AppError } from "../../core/protocol/errors.ts";

/** Why something is not fetched, as a sentence for the model. */
export class NetworkRefusal extends AppError {
  constructor(sentence: string, cause?: unknown) {
    super("network", sentence, cause === undefined ? {} : { cause });
  }
}
