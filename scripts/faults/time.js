'use strict';

// Lets the parent control the clock of this process, and its work of every minute.

const minuteMilliseconds = 60_000;
const { Date: RealDate, setInterval: realSetInterval } = globalThis;

const everyMinute = new Set();
let aheadMilliseconds = 0;

/** @param milliseconds - Offset of the clock from now on. */
function stepClock(milliseconds) {
  aheadMilliseconds = milliseconds;
}

/** Runs the work of every minute at once. */
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

  /** Accepts dates of the original class too, such as those of the file system. */
  static [Symbol.hasInstance](value) {
    return value instanceof RealDate;
  }

  static now() {
    return RealDate.now() + aheadMilliseconds;
  }
}

globalThis.Date = SteppedDate;

module.exports = { passMinute, stepClock };
