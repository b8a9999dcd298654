import { AppError } from "../../core/protocol/errors.ts";

/** Why something is not fetched, as a sentence for the model. */
export class NetworkRefusal extends AppError {
  constructor(sentence: string, cause?: unknown) {
    super("network", sentence, cause === undefined ? {} : { cause });
  }
}

/** What is forbidden, whether or not it would work. */
export class NetworkDenial extends NetworkRefusal {}
