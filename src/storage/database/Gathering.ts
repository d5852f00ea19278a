import { inTime } from '../../platform/inTime';
import { isOutage } from '../../platform/outage';

/** A caller that waits for its answer. */
interface Waiting<TAsked, TAnswer> {
  asked: TAsked;
  resolve: (answer: TAnswer) => void;
  reject: (error: unknown) => void;
}

/** Maximum questions in one statement. */
const most = 200;

/** A statement that takes longer than this no longer blocks the next one. */
const slowMs = 100;

/** Maximum wait for more questions. */
const gatherMs = 8;

/**
 * Runs one statement for all callers that ask at the same time. The first runs at once; those that arrive while it runs
 * share the next statement, which waits as long as each turn of the event loop brings more of them. A busy process thus
 * runs few statements for many callers, and an idle one waits for nothing. Each answer is as of a moment after its
 * question.
 *
 * A statement that fails is run again for each caller alone, so that one caller's values cannot spoil the others'
 * answers.
 */
export class Gathering<TAsked, TAnswer> {
  private readonly waiting: Waiting<TAsked, TAnswer>[] = [];
  private isUnderWay = false;

  /**
   * @param run - Returns one answer for each question, in order.
   * @param elapsed - Milliseconds of a steady clock.
   */
  public constructor(
    private readonly run: (asked: TAsked[]) => Promise<TAnswer[]>,
    private readonly elapsed = (): number => performance.now(),
  ) {}

  /** Asks, together with all others who are asking now. */
  public async ask(asked: TAsked): Promise<TAnswer> {
    return new Promise((resolve, reject): void => {
      this.waiting.push({ asked, resolve, reject });
      this.begin();
    });
  }

  private begin(): void {
    if (!this.isUnderWay && this.waiting.length > 0) {
      this.isUnderWay = true;
      this.gather(this.waiting.length, this.elapsed() + gatherMs);
    }
  }

  /** Runs the statement once a turn of the event loop has brought no more questions, or time is up. */
  private gather(count: number, until: number): void {
    setImmediate((): void => {
      const { length } = this.waiting;
      if (length > count && length < most && this.elapsed() < until) {
        this.gather(length, until);
      } else {
        this.answerWaiting().catch((): undefined => undefined);
      }
    });
  }

  private async answerWaiting(): Promise<void> {
    const some = this.waiting.splice(0, most);
    await inTime(slowMs, async(): Promise<void> => this.answer(some)).catch((): undefined => undefined);
    this.isUnderWay = false;
    this.begin();
  }

  /** Never rejects. */
  private async answer(some: Waiting<TAsked, TAnswer>[]): Promise<void> {
    try {
      const answers = await this.run(some.map(({ asked }): TAsked => asked));
      for (const [ index, { resolve }] of some.entries()) {
        resolve(answers[index]);
      }
    } catch (error: unknown) {
      if (some.length === 1 || isOutage(error)) {
        for (const { reject } of some) {
          reject(error);
        }
      } else {
        await Promise.all(some.map(async(one): Promise<void> => this.answer([ one ])));
      }
    }
  }
}
