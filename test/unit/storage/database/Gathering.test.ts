import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gathering } from '../../../../src/storage/database/Gathering';

describe('Simultaneous queries', (): void => {
  it('are answered by one statement, each with its own result.', async(): Promise<void> => {
    const asked: number[][] = [];
    const gathering = new Gathering(async(numbers: number[]): Promise<number[]> => {
      asked.push(numbers);
      return numbers.map((number): number => number * 2);
    });
    await expect(Promise.all([ 3, 1, 2 ].map(async(number): Promise<number> => gathering.ask(number))))
      .resolves.toEqual([ 6, 2, 4 ]);
    expect(asked).toEqual([[ 3, 1, 2 ]]);
  });

  it('during a statement are answered by the next.', async(): Promise<void> => {
    let stored = 'old';
    const begun: string[] = [];
    const statements = new EventEmitter();
    const answered = once(statements, 'answered');
    const gathering = new Gathering(async(keys: string[]): Promise<string[]> => {
      begun.push(keys.join(' '));
      const found = stored;
      statements.emit('begun');
      await answered;
      return keys.map((): string => found);
    });
    const isBegun = once(statements, 'begun');
    const first = gathering.ask('a');
    await isBegun;
    stored = 'new';
    const answers = [ first, gathering.ask('b'), gathering.ask('c') ];
    statements.emit('answered');
    await expect(Promise.all(answers)).resolves.toEqual([ 'old', 'new', 'new' ]);
    expect(begun).toEqual([ 'a', 'b c' ]);
  });

  it('are gathered as long as each turn of the event loop brings more.', async(): Promise<void> => {
    const asked: string[][] = [];
    const gathering = new Gathering(async(keys: string[]): Promise<string[]> => {
      asked.push(keys);
      return keys;
    }, (): number => 0);
    const answers = [ gathering.ask('a'), gathering.ask('b') ];
    setImmediate((): void => {
      answers.push(gathering.ask('late'));
    });
    await nextTurn();
    await nextTurn();
    await Promise.all(answers);
    expect(asked).toEqual([[ 'a', 'b', 'late' ]]);
  });

  it('are gathered for a limited time.', async(): Promise<void> => {
    const asked: number[] = [];
    const answers: Promise<number>[] = [];
    const gathering = new Gathering(async(keys: number[]): Promise<number[]> => {
      asked.push(keys.length);
      return keys;
    }, (): number => answers.length);
    function keepAsking(): void {
      if (asked.length === 0) {
        setImmediate(keepAsking);
        answers.push(gathering.ask(answers.length));
      }
    }
    keepAsking();
    await expect(answers[0]).resolves.toBe(0);
    await Promise.all(answers);
    expect(asked[0]).toBeGreaterThan(2);
    expect(asked[0]).toBeLessThan(12);
  });

  it('are not delayed by a statement that gets no response.', async(): Promise<void> => {
    const statements = new EventEmitter();
    const gathering = new Gathering(async(keys: string[]): Promise<string[]> => {
      statements.emit('begun');
      return keys.includes('stuck') ? new Promise((): undefined => undefined) : keys;
    });
    const isBegun = once(statements, 'begun');
    const stuck = gathering.ask('stuck');
    await isBegun;
    await expect(Promise.race([ stuck, gathering.ask('a') ])).resolves.toBe('a');
  });

  it('do not fail because of another\'s values.', async(): Promise<void> => {
    const gathering = new Gathering(async(keys: string[]): Promise<string[]> => {
      if (keys.includes('bad')) {
        throw new Error('What a value');
      }
      return keys;
    });
    const asked = [ 'a', 'bad', 'b' ].map(async(key): Promise<string> => gathering.ask(key));
    const answers = await Promise.allSettled(asked);
    expect(answers.map(({ status }): string => status)).toEqual([ 'fulfilled', 'rejected', 'fulfilled' ]);
  });

  it('all fail at once if the database is unavailable.', async(): Promise<void> => {
    let statements = 0;
    const gathering = new Gathering(async(): Promise<string[]> => {
      statements += 1;
      throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    });
    const answers = await Promise.allSettled([ 'a', 'b' ].map(async(key): Promise<string> => gathering.ask(key)));
    expect(answers.map(({ status }): string => status)).toEqual([ 'rejected', 'rejected' ]);
    expect(statements).toBe(1);
  });
});
