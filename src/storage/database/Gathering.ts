import { inTime } from '../../platform/inTime';
import { isOutage } from '../../platform/outage';

/** Somebody who waits for an answer. */
interface Waiting<TAsked, TAnswer> {
  asked: TAsked;
  resolve: (answer: TAnswer) => void;
  reject: (error: unknown) => void;
}

/** Most that one statement asks. */
const most = 200;

/** A statement that has taken longer than this holds up no others. */
const slowMs = 100;

/**
 * Runs one statement for all who ask at the same time: the first at once, those who come while a statement is under way
 * together afterwards. Each answer is as of a moment after it was asked for.
 *
 * One that fails is run again for each of them alone, so that nobody's values spoil the others' answers.
 */
export class Gathering<TAsked, TAnswer> {
  private readonly waiting: Waiting<TAsked, TAnswer>[] = [];
  private isUnderWay = false;

  /**
   * @param run - Gives an answer to each, in their order.
   */
  public constructor(private readonly run: (asked: TAsked[]) => Promise<TAnswer[]>) {}

  /** Asks, together with all others who do now. */
  public async ask(asked: TAsked): Promise<TAnswer> {
    return new Promise((resolve, reject): void => {
      this.waiting.push({ asked, resolve, reject });
      this.begin();
    });
  }

  private begin(): void {
    if (!this.isUnderWay && this.waiting.length > 0) {
      this.isUnderWay = true;
      // By then everybody has asked whose request has arrived.
      setImmediate((): void => {
        this.answerWaiting().catch((): undefined => undefined);
      });
    }
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
