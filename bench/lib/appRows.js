'use strict';

// Measures the citizen's pages in Debian's Chromium, with the CPU slowed down four times: the first view, from an
// empty cache, and the longest response to an input.

const { chromium } = require('playwright-core');
const { freePort } = require('../../demo/lib/freePort');
const { startDemo } = require('../../demo/lib/startDemo');
const { median } = require('./summary');

const cpuSlowdown = 4;

/** Collects the browser's measurements, starting before the first script. */
const observe = `
  window.measured = { paints: [], events: [] };
  new PerformanceObserver((list) => measured.paints.push(...list.getEntries().map(({ startTime }) => startTime)))
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => measured.events.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'event', durationThreshold: 16, buffered: true });
`;

/** Calls `done` after the next frames, when their measurements are known. */
const nextFrames = 'setTimeout(() => requestAnimationFrame(() => setTimeout(done, 50)), 50)';

/**
 * @param folder - Folder for the data of the servers.
 * @param options
 * @param options.rounds - Views of each page.
 *
 * @returns Medians in milliseconds: the Largest Contentful Paint of the start page and of a question, and the longest
 * response to a tick and a click on a question (Event Timing: from the event to the next frame).
 */
async function measureApp(folder, { rounds }) {
  const [ port, nationalPort ] = [ await freePort(), await freePort() ];
  const { signal } = new AbortController();
  const demo = await startDemo({ folder, port, nationalPort, signal });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [ '--no-sandbox' ],
  });
  try {
    const context = await browser.newContext({ locale: 'en-GB' });
    const question = `${demo.base}.app/share?contract=diploma-employment`;
    await logIn(await context.newPage(), question);
    const found = { home: [], question: [], interaction: []};
    for (let round = 0; round < rounds; round += 1) {
      const home = await open(context, `${demo.base}.app/`, '.btn.solid');
      found.home.push(await lastPaint(home));
      await home.close();
      const page = await open(context, question, '.value input');
      found.question.push(await lastPaint(page));
      found.interaction.push(await longestAnswer(page));
      await page.close();
      console.error(`app ${round + 1} of ${rounds}: ${Object.entries(found)
        .map(([ name, values ]) => `${name} ${values.at(-1).toFixed(0)} ms`).join('  ')}`);
    }
    return Object.fromEntries(Object.entries(found).map(([ name, values ]) => [ name, median(values) ]));
  } finally {
    await browser.close();
    await demo.stop();
  }
}

/** Logs in a new citizen at the national provider. */
async function logIn(page, url) {
  await page.goto(url);
  await page.click('#national button');
  await page.check('[value=emma]');
  await page.click('[value=login]');
  await page.click('#yes');
  await page.waitForSelector('.value input');
  await page.close();
}

/**
 * Opens a page with a slow CPU and an empty cache, and waits for its content and the frames after it. Waits by a script of
 * its own: Playwright's takes 50 to 100 ms of this CPU to start, which would count as the page's.
 */
async function open(context, url, selector) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  await page.addInitScript(observe);
  await session.send('Page.navigate', { url });
  const expression = `new Promise((done) => {
    const look = () => document.querySelector(${JSON.stringify(selector)}) ? ${nextFrames} : setTimeout(look, 100);
    look();
  })`;
  await session.send('Runtime.evaluate', { expression, awaitPromise: true });
  return page;
}

/** Time of the Largest Contentful Paint, in milliseconds. */
async function lastPaint(page) {
  return page.evaluate('measured.paints.at(-1)');
}

async function longestAnswer(page) {
  await page.evaluate('measured.events.length = 0');
  await page.check('.value input >> nth=0');
  await page.click('button:has-text("Continue")');
  await page.waitForSelector('h1:has-text("Check before you share")');
  await page.evaluate(`new Promise((done) => ${nextFrames})`);
  // The browser reports events of 16 ms or longer.
  return page.evaluate('Math.max(16, ...measured.events)');
}

module.exports = { measureApp };
