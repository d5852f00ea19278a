// Makes the pictures of README.md in docs/pictures from the demo, in Debian's Chromium: the question of the example data
// user, and the citizen's sharings after answering it. Build first; the ports of `npm start` must be free.
const { mkdtemp, rm } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { chromium } = require('playwright-core');
const { Client } = require('../demo/lib/Client');
const { startDataUserSite } = require('../demo/lib/dataUserSite');
const { consumer, startDemo } = require('../demo/lib/startDemo');
const { interruptionSignal, run } = require('../demo/lib/terminal');
const { logInByCode } = require('../demo/lib/tokens');

const pictures = join(__dirname, '../docs/pictures');
const citizen = 'emma';
const viewport = { width: 1100, height: 800 };

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  const demo = await startDemo({ folder, port: 3000, nationalPort: 3001, signal: interruptionSignal() });
  try {
    await makePictures(demo);
  } finally {
    await demo.stop();
    await rm(folder, { recursive: true });
  }
}

async function makePictures({ base, consumerWebId, issuer }) {
  const { client } = await logInByCode(await Client.withDpop(), issuer, citizen);
  await client.request('PUT', `${base}v1/webids`);
  // The port of the redirect URI in data/data-users/consumer.ttl.
  const site = await startDataUserSite({ port: 3004, service: base, dataUser: { ...consumer, webId: consumerWebId }});
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [ '--no-sandbox' ],
  });
  try {
    await answer(await browser.newPage({ viewport, locale: 'en-GB' }), site.base);
  } finally {
    await browser.close();
    await site.close();
  }
}

/**
 * Goes from the data user's site to its question, shares a diploma, and opens the list of sharings.
 */
async function answer(page, site) {
  await page.goto(site);
  await page.click('text=Share your diploma');
  await page.click('#national button');
  await page.check(`[value=${citizen}]`);
  await page.click('[value=login]');
  await page.waitForSelector('h1.sentence');
  await picture(page, 'consent');

  await page.check('.value input >> nth=0');
  await page.click('button:has-text("Continue")');
  await page.click('button:has-text("Share with")');
  await page.click('a:has-text("See who I share with")');
  await page.waitForSelector('main h3');
  await picture(page, 'overview');
}

async function picture(page, name) {
  // Logos load after the text.
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

run(main);
