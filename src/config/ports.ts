import type { Listener } from "./feature-settings.ts";
import type { Config } from "./resolve.ts";

type Listening = Pick<Config, "web" | "slack" | "features">;

export function listenersOf({ web, slack, features }: Listening): readonly Listener[] {
  return [
    { setting: "PORT", hostSetting: "HOST", ...web },
    ...(slack?.mode.type === "http"
      ? [{ setting: "SLACK_HTTP_PORT", hostSetting: "SLACK_HTTP_HOST", ...slack.mode }]
      : []),
    ...features.flatMap(({ listens }) => listens ?? []),
  ];
}

/** Reports ports used by two settings, because the start would fail at the second. */
export function sharedPorts(config: Listening): string[] {
  const listeners = listenersOf(config);
  return listeners.flatMap((later, index) =>
    listeners
      .slice(0, index)
      .filter((earlier) => overlap(earlier, later))
      .map(
        ({ setting }) =>
          `${later.setting}: is ${later.port}, the same port as ${setting}. Set one of the two to another, free port.`,
      ),
  );
}

/** Whether two listeners collide. With port 0 the system chooses a free one. */
function overlap(one: Listener, other: Listener): boolean {
  if (one.port === 0 || one.port !== other.port) return false;
  const hosts = [plainHost(one.host), plainHost(other.host)];
  return hosts[0] === hosts[1] || hosts.some((host) => ALL_ADDRESSES.includes(host));
}

const ALL_ADDRESSES: readonly string[] = ["0.0.0.0", "::"];

function plainHost(host: string): string {
  const name = host.toLowerCase();
  return name === "localhost" ? "127.0.0.1" : name;
}
