/** Number of positions of files: as many as fit into a double beside the 32 bits of a hash. */
const positions = 2 ** 21;

/**
 * Names of the files `name$.extension` of a folder, in eight bytes each: the hash of the name and the number of its
 * mark, `$.extension`. As text they would take a hundred.
 */
export class MarkedFiles {
  private constructor(
    /** In ascending order, and those that are equal in the order of the folder. */
    private readonly hashes: Uint32Array,
    /** Number of the mark of each. */
    private readonly numbers: Uint32Array,
    private readonly marks: readonly string[],
  ) {}

  /** Number of files; more when names themselves contain marks. */
  public get size(): number {
    return this.hashes.length;
  }

  /**
   * @param files - Names of all files of a folder, of which at most two million are marked.
   */
  public static of(files: readonly string[]): MarkedFiles {
    const marks = new Map<string, number>();
    const keys: number[] = [];
    const numbers: number[] = [];
    for (const file of files) {
      // A name may itself contain marks.
      for (let start = file.indexOf('$.'); start !== -1; start = file.indexOf('$.', start + 1)) {
        const name = file.slice(0, start);
        if (isMarked(file, name)) {
          const mark = file.slice(start);
          const number = marks.get(mark) ?? marks.size;
          marks.set(mark, number);
          keys.push(hashOf(name) * positions + numbers.length);
          numbers.push(number);
        }
      }
    }
    const sorted = Float64Array.from(keys).sort();
    return new MarkedFiles(
      Uint32Array.from(sorted, (key): number => Math.floor(key / positions)),
      Uint32Array.from(sorted, (key): number => numbers[key % positions]),
      [ ...marks.keys() ],
    );
  }

  /**
   * Returns the files that a name can have, in the order of the folder. They may be missing: other names can have the
   * same hash.
   */
  public candidates(name: string): string[] {
    const hash = hashOf(name);
    const found = new Set<string>();
    for (let index = this.firstOf(hash); this.hashes[index] === hash; index += 1) {
      found.add(name + this.marks[this.numbers[index]]);
    }
    return [ ...found ];
  }

  /** Returns the place of the first hash that is not less than one. */
  private firstOf(hash: number): number {
    let [ low, high ] = [ 0, this.hashes.length ];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.hashes[middle] < hash) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

/** Checks whether a file is that of a name, with a mark. */
export function isMarked(file: string, name: string): boolean {
  return file.startsWith(name) && /^\$\..+$/u.test(file.slice(name.length));
}

/** FNV-1a of the code points of a text, in 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811C9DC5;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash >>> 0;
}
