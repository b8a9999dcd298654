/** A row as CSV (RFC 4180); empty columns at its end are left out. */
export function csvLine(values: readonly (string | undefined)[]): string {
  return Array.from(values, (value) => quoted(value ?? "")).join(",");
}

function quoted(value: string): string {
  return /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
