/** Makes a fictitious number with a valid checksum, a new one for every citizen. */
export function fictitiousNumber(serial: number): string {
  const nine = String(850_730_000 + serial);
  return nine + String(97 - (Number(nine) % 97)).padStart(2, '0');
}
