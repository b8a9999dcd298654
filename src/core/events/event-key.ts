/**
 * The key of an event that a platform brings: `slack:T1:C1:1700000000.000100`. What is delivered twice is one event. A message's
 * ends with the platform's id of it.
 */
export function eventKey(platform: string, ...ids: readonly (string | number | null | undefined)[]): string {
  return [platform, ...ids.map(String)].join(":");
}

/** The platform's id of the message that an event's key is of. */
export function messageIdOf(key: string): string {
  return key.slice(key.lastIndexOf(":") + 1);
}

/** `slack:U1` → `U1`: the platform's own id of a person, a channel or a workspace. */
export function ownId(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}
