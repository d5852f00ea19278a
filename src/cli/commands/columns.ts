/**
 * Lines of a help text in two columns, indented.
 *
 * @param rows - Texts of the first column, which is as wide as its longest, and of the second.
 */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([ first ]): number => first.length)) + 2;
  return rows.map(([ first, second ]): string => `  ${first.padEnd(width)}${second}`);
}
