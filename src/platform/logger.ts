/**
 * What the domain says about its work. Messages never hold tokens, national numbers or personal data.
 */
export interface Logger {
  error: (message: string) => void;
  warn: (message: string) => void;
  info: (message: string) => void;
  debug: (message: string) => void;
}
