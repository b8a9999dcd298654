import { z } from "zod";
import { field, secret } from "../../../config/fields.ts";
import type { Environment } from "../../../config/sources.ts";
import { type AccountRole, ROLES } from "../account.ts";

const text = z.string().min(1, "must not be empty");
const role = z.enum(ROLES);

export const oidcSchema = z.strictObject({
  issuer: field(
    z.url({ protocol: /^https?$/, error: "must be an https:// URL" }),
    "The provider's address, exactly as it identifies itself.",
    "https://login.example.com",
  ),
  clientId: field(text, "Deckhand's client id at the provider.", "deckhand"),
  clientSecret: secret(
    text.exactOptional(),
    "Deckhand's secret at the provider; `${NAME}` reads it from the environment. A public client has none.",
    "${OIDC_CLIENT_SECRET}",
  ),
  groups: field(
    z.record(text, role),
    "Roles by the provider's groups. People get the highest role of their groups, evaluated at each sign-in.",
    { "deckhand-admins": "admin" },
  ),
  groupsClaim: field(
    text.default("groups"),
    "The claim that lists a person's groups. Dots select properties of objects.",
    "realm_access.roles",
  ),
  defaultRole: field(
    role.exactOptional(),
    "The role of people in none of the groups. Without it, they cannot sign in.",
    "viewer",
  ),
  scope: field(
    z.string().refine((words) => words.split(" ").includes("openid"), "must include `openid`"),
    "The scopes to request from the provider.",
    "openid profile groups",
  ).default("openid profile"),
  label: field(
    z.string().min(1).max(40).default("single sign-on"),
    "The provider's name on the sign-in button.",
    "Example",
  ),
});

type Written = z.infer<typeof oidcSchema>;

/** A provider as the operator has set it, with its secret resolved. */
export interface OidcSettings extends Omit<Written, "issuer" | "clientSecret" | "groups" | "defaultRole"> {
  readonly issuer: URL;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  readonly groups: ReadonlyMap<string, AccountRole>;
  /** Null if people without a matching group are not admitted. */
  readonly defaultRole: AccountRole | null;
}

interface Read {
  readonly settings: OidcSettings;
  readonly problems: readonly string[];
  readonly usedVariables: readonly string[];
}

const REFERENCE = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}$/u;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u;

export function readOidc(written: Written, environment: Environment): Read {
  const { clientSecret = null, groups, defaultRole = null, ...rest } = written;
  const issuer = new URL(written.issuer);
  const variable = REFERENCE.exec(clientSecret ?? "")?.[1];
  const known = variable === undefined ? clientSecret : (environment[variable] ?? null);
  const problems = [
    ...(variable !== undefined && known === null
      ? [`oidc.clientSecret: refers to ${variable}, which is not set.`]
      : []),
    ...(issuer.protocol === "https:" || LOOPBACK.test(issuer.hostname)
      ? []
      : [
          "oidc.issuer: must be an https:// address; without TLS, anybody on the network path could sign in as anybody.",
        ]),
    ...(Object.keys(groups).length === 0 && defaultRole === null
      ? ["oidc.groups: is empty and `oidc.defaultRole` is not set, so nobody could sign in."]
      : []),
  ];
  return {
    settings: { ...rest, issuer, clientSecret: known, groups: new Map(Object.entries(groups)), defaultRole },
    problems,
    usedVariables: variable === undefined ? [] : [variable],
  };
}
