/** Facts of a message, for logs that machines read. */
export type LogFields = Readonly<Record<string, string | number | undefined>>;

/**
 * The domain's log. Messages and fields never hold tokens, national numbers or personal data.
 */
export interface Logger {
  error: (message: string) => void;
  warn: (message: string) => void;
  /** A message says all that its fields do. */
  info: (message: string, fields?: LogFields) => void;
  debug: (message: string) => void;
}
