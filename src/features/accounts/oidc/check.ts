import type { Finding } from "../../../cli/doctor/finding.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { refusalOf, unreachedCode } from "./problems.ts";
import { createProvider } from "./provider.ts";
import type { OidcSettings } from "./settings.ts";

/** Reads the provider's metadata. Only a sign-in can tell whether it accepts the client id and secret. */
export async function checkProvider(settings: OidcSettings, clock: Pick<Clock, "now">): Promise<Finding> {
  const { href } = settings.issuer;
  try {
    const made = { state: "doctor", nonce: "doctor", verifier: "doctor".repeat(8) };
    await createProvider(settings, clock).address("https://localhost/login/oidc/callback", made);
    return { ok: true, text: `oidc: ${href} responds, and its issuer matches the settings` };
  } catch (error) {
    const code = unreachedCode(error);
    if (code === null) return { ok: false, text: `oidc: ${href}: ${refusalOf(error).problem}` };
    return { ok: false, text: `oidc: ${href} cannot be reached (${code}). Check \`oidc.issuer\` and the network.` };
  }
}
