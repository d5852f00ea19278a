/** Facts of a message, for machine-readable logs. */
export type LogFields = Readonly<Record<string, string | number | undefined>>;

/** The domain's log. Messages and fields never contain tokens, national numbers or personal data. */
export interface Logger {
  error: (message: string) => void;
  warn: (message: string) => void;
  /** Logs a message, which must say everything that its fields do. */
  info: (message: string, fields?: LogFields) => void;
  debug: (message: string) => void;
}
