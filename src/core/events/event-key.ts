/**
 * Key of a platform's event, such as `slack:T1:C1:1700000000.000100`. Two deliveries with the same key are one event. A
 * message's key ends with the platform's id of the message.
 */
export function eventKey(platform: string, ...ids: readonly (string | number | null | undefined)[]): string {
  return [platform, ...ids.map(String)].join(":");
}

export function messageIdOf(key: string): string {
  return key.slice(key.lastIndexOf(":") + 1);
}

/** The platform's own id of a person, channel or workspace: `U1` for `slack:U1`. */
export function ownId(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}
