/** Formats rows in aligned columns as a code block, because a proportional font would misalign them. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  const lines = rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return ["```", ...lines.map((line) => line.replaceAll("`", "'")), "```"].join("\n");
}

/** A bar of up to ten blocks. Small values above zero show at least a sliver. */
export function bar(value: number, most: number): string {
  if (most <= 0 || value <= 0) return "";
  return "█".repeat(Math.floor((value / most) * 10)) || "▏";
}
