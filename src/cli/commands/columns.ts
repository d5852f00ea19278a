/**
 * Formats two columns of a help text as indented lines.
 *
 * @param rows - Texts of both columns; the first column is as wide as its longest text.
 */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([ first ]): number => first.length)) + 2;
  return rows.map(([ first, second ]): string => `  ${first.padEnd(width)}${second}`);
}
