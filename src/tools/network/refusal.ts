import { AppError } from "../../core/protocol/errors.ts";

/** Explains why something is not fetched, in a sentence for the model. */
export class NetworkRefusal extends AppError {
  constructor(sentence: string, cause?: unknown) {
    super("network", sentence, { cause });
  }
}

/** A refusal because the target is forbidden, whether or not it could be reached. */
export class NetworkDenial extends NetworkRefusal {}
