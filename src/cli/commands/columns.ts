/**
 * Lines of a help text in two columns, indented.
 *
 * @param rows - What stands in the first column, as wide as its longest, and in the second.
 */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([ first ]): number => first.length)) + 2;
  return rows.map(([ first, second ]): string => `  ${first.padEnd(width)}${second}`);
}
