'use strict';

// The clock of this process, and what it does every minute, as its parent says.

const minuteMilliseconds = 60_000;
const { Date: RealDate, setInterval: realSetInterval } = globalThis;

const everyMinute = new Set();
let aheadMilliseconds = 0;

/** @param milliseconds - How much the clock is ahead of the right one from now on. */
function stepClock(milliseconds) {
  aheadMilliseconds = milliseconds;
}

/** Does what is done every minute, at once. */
function passMinute() {
  for (const work of everyMinute) {
    work();
  }
}

globalThis.setInterval = Object.assign((work, milliseconds, ...args) => {
  const timer = realSetInterval(work, milliseconds, ...args);
  if (milliseconds === minuteMilliseconds) {
    everyMinute.add(() => work(...args));
  }
  return timer;
}, setInterval);

class SteppedDate extends RealDate {
  constructor(...args) {
    super(...args.length === 0 ? [ SteppedDate.now() ] : args);
  }

  /** Of the file system, for one, come dates of the other kind. */
  static [Symbol.hasInstance](value) {
    return value instanceof RealDate;
  }

  static now() {
    return RealDate.now() + aheadMilliseconds;
  }
}

globalThis.Date = SteppedDate;

module.exports = { passMinute, stepClock };
