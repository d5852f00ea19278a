import type { NestingScanner } from './NestingScanner';

/** Nesting of JSON and JSON-LD: objects and lists. Brackets in strings count for nothing. */
export class JsonNesting implements NestingScanner {
  public depth = 0;
  private inString = false;
  private escaped = false;

  public take(character: string): void {
    if (this.inString) {
      this.inString = character !== '"' || this.escaped;
      this.escaped = character === '\\' && !this.escaped;
    } else if (character === '"') {
      this.inString = true;
    } else if (character === '[' || character === '{') {
      this.depth += 1;
    } else if (character === ']' || character === '}') {
      this.depth -= 1;
    }
  }
}
