import { expect, test } from "vitest";
import { listenError } from "../../../src/adapters/render/listen-error.ts";
import { ConfigError } from "../../../src/core/protocol/errors.ts";

const variables = { host: "HOST", port: "PORT" };

test.each(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"])(
  "an address that the machine does not have, such as any of IPv6 without IPv6 (%s), is told in one line",
  (code) => {
    const failure = Object.assign(new Error(`listen ${code}`), { code });
    expect(listenError(failure, { host: "::", port: 3000, variables })).toEqual(
      new ConfigError(["This machine has no address ::. Set HOST to 127.0.0.1."]),
    );
  },
);
