// Opens pages in a real browser, as a reader would, and fails where one could not use them.
//
//     node check.mjs CHROMIUM PAGE...
//
// From a file, without a network; wide and narrow; light and dark; on paper. Names in the pages try to run scripts.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const [executablePath, ...pages] = process.argv.slice(2);
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath, args: flags });

/** A4 and Letter in CSS pixels, without the margins of the style sheet. */
const papers = { A4: { width: 688, height: 1024 }, Letter: { width: 710, height: 958 } };
/** Sheets of A4 that a page may take: one for the answer alone (names of 200 letters may need two), eight for an audit of two groups. */
const sheets = (name) => (name === 'hostile.brief' ? 2 : name.endsWith('.brief') ? 1 : { 'two-groups': 8, truth: 8, 'no-label': 8, 'audit-sample': 8 }[name] ?? Infinity);
const problems = [];

for (const page of pages) {
  const name = basename(page, '.html');
  const found = (what) => problems.push(`${name}: ${what}`);
  if (page.endsWith('.svg')) {
    await plot(page, found);
    continue;
  }
  for (const scheme of ['light', 'dark']) {
    for (const width of [1280, 390]) await look(page, scheme, width, found);
  }
  await print(page, found);
  console.log(`${name}: looked at`);
}
await browser.close();
problems.forEach((problem) => console.error(problem));
console.log(`${pages.length} pages, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

/** A fresh page without a network that reports whatever it should not do. */
async function open(page, scheme, viewport, found) {
  const context = await browser.newContext({ colorScheme: scheme, viewport, offline: true });
  const tab = await context.newPage();
  tab.on('console', (message) => message.type() === 'error' && found(`console: ${message.text()}`));
  tab.on('pageerror', (error) => found(`error: ${error.message}`));
  tab.on('dialog', async (dialog) => { found(`ran a script: ${dialog.message()}`); await dialog.dismiss(); });
  tab.on('request', (request) => request.url().startsWith('file:') || found(`asked for ${request.url()}`));
  await tab.goto(pathToFileURL(resolve(page)).href);
  return { context, tab };
}

/** Opens what is folded; of hundreds of segments, which are made alike, the first ones. */
function unfold(tab) {
  return tab.evaluate(() => [...document.querySelectorAll('details')].slice(0, 30).forEach((part) => { part.open = true; }));
}

async function look(page, scheme, width, found) {
  const where = (what) => found(`${scheme} ${width} px: ${what}`);
  const { context, tab } = await open(page, scheme, { width, height: 900 }, where);
  await unfold(tab);
  const seen = await tab.evaluate(() => {
    const box = (element) => element.getBoundingClientRect();
    const wide = document.documentElement.clientWidth;
    const unfolded = [...document.querySelectorAll('svg.plot')].filter((plot) => plot.checkVisibility({ contentVisibilityAuto: true }));
    const plots = unfolded.map((plot) => {
      const frame = box(plot);
      const out = [...plot.querySelectorAll('text')].filter((text) => {
        const place = box(text);
        return place.left < frame.left - 1 || place.right > frame.right + 1 || place.bottom > frame.bottom + 1;
      });
      return { id: plot.id, left: frame.left, right: frame.right, height: frame.height, out: out.map((text) => text.textContent) };
    });
    const count = (selector) => document.querySelectorAll(selector).length;
    const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map((head) => +head.tagName[1]);
    return {
      plots, wide, scroll: document.documentElement.scrollWidth,
      landmarks: [count('header'), count('nav'), count('main'), count('footer'), count('h1')],
      jumps: levels.some((level, i) => level > (levels[i - 1] ?? 0) + 1),
      targets: [...document.querySelectorAll('a[href^="#"]')].every((link) => document.getElementById(link.hash.slice(1))),
      positive: count('[tabindex]:not([tabindex="0"])'),
      brief: document.body.classList.contains('brief'),
      book: document.body.classList.contains('book'),
      // A table of groups by groups may be wider than any screen; all others fit a desk.
      cut: [...document.querySelectorAll('.scroll')].filter((frame) => frame.scrollWidth > frame.clientWidth + 1
        && frame.checkVisibility({ contentVisibilityAuto: true }) && frame.querySelectorAll('thead th').length <= 10).map((frame) => frame.getAttribute('aria-label')),
      paper: getComputedStyle(document.body).backgroundColor,
    };
  });
  if (seen.scroll > seen.wide) where(`the page is ${seen.scroll} px wide`);
  if (seen.plots.length === 0 && !seen.book) where('there is no plot');
  for (const plot of seen.plots) {
    if (plot.left < 0 || plot.right > seen.wide + 0.5 || plot.height < 10) where(`plot ${plot.id} is not visible`);
    if (plot.out.length > 0) where(`plot ${plot.id} cuts ${JSON.stringify(plot.out.slice(0, 3))}`);
  }
  // Names of 200 letters scroll in their frame.
  if (width >= 1280 && seen.cut.length > 0 && !basename(page).includes('hostile')) where(`tables are cut: ${JSON.stringify(seen.cut.slice(0, 3))}`);
  // A sheet has no contents to list.
  if (seen.landmarks.join() !== (seen.brief ? '1,0,1,1,1' : '1,1,1,1,1')) where(`landmarks ${seen.landmarks}`);
  if (seen.jumps) where('a level of headings is left out');
  if (!seen.targets) where('a link leads nowhere');
  if (seen.positive > 0) where('something jumps the tab order');
  if ((scheme === 'light') !== (seen.paper === 'rgb(255, 255, 255)')) where(`paper is ${seen.paper}`);
  await tabOrder(tab, where);
  // Contrast depends on the scheme and not on the width, structure on neither: each scheme is looked at once.
  if ((scheme === 'light') === (width === 1280)) await accessible(tab, where);
  await context.close();
}

/** A plot in a file of its own is well-formed, has a size and runs nothing. */
async function plot(page, found) {
  const { context, tab } = await open(page, 'light', { width: 600, height: 900 }, found);
  const root = await tab.evaluate(() => ({
    name: document.documentElement.localName,
    broken: document.getElementsByTagName('parsererror').length,
    texts: document.getElementsByTagName('text').length,
  }));
  if (root.name !== 'svg' || root.broken > 0 || root.texts === 0) found(`is no plot: ${JSON.stringify(root)}`);
  await context.close();
}

/** Tab goes down the page, first to the link that skips the contents, and what has the focus is in sight. */
async function tabOrder(tab, where) {
  await tab.evaluate(() => { document.activeElement?.blur(); window.scrollTo(0, 0); });
  let last = -1;
  for (let i = 0; i < 25; i += 1) {
    await tab.keyboard.press('Tab');
    const focus = await tab.evaluate(() => {
      const element = document.activeElement;
      const frame = element.getBoundingClientRect();
      return { none: element === document.body, skip: element.classList.contains('skip'), top: frame.top + window.scrollY, seen: frame.width > 0 && frame.right > 0 };
    });
    // Past the last stop the browser starts again.
    if (i > 0 && (focus.skip || focus.none)) break;
    if (i === 0 && !focus.skip) where('the first tab stop is not the skip link');
    if (!focus.seen) where(`tab stop ${i} cannot be seen`);
    if (i > 1 && focus.top < last - 40) where(`tab stop ${i} goes back up the page`);
    last = focus.top;
  }
}

/** No serious violation by the accessibility engine, which the browser runs from outside of the page and its policy. */
async function accessible(tab, where) {
  await tab.evaluate(axe);
  // Segments are made alike: the first ones stand for all.
  const { violations } = await tab.evaluate(() => window.axe.run(
    { include: [['html']], exclude: [['.segment:nth-of-type(n+15)'], ['.multiples > li:nth-child(n+30)']] },
    { resultTypes: ['violations'] },
  ));
  for (const violation of violations) {
    const places = violation.nodes.slice(0, 3).map((node) => node.target.join(' ')).join('; ');
    const text = `${violation.impact} ${violation.id} ${violation.nodes.length} times (${places})`;
    if (['serious', 'critical'].includes(violation.impact)) where(text);
    else console.log(`  ${violation.impact}, no failure: ${text}`);
  }
}

/** On paper every plot fits a sheet, and the style sheet keeps it in one piece. */
async function print(page, found) {
  for (const [paper, { width, height }] of Object.entries(papers)) {
    const { context, tab } = await open(page, 'light', { width, height }, found);
    await tab.emulateMedia({ media: 'print' });
    const cut = await tab.evaluate((sheet) => {
      const boxes = [...document.querySelectorAll('svg.plot')].filter((plot) => plot.checkVisibility()).map((plot) => ({
        id: plot.id, kept: getComputedStyle(plot).breakInside, frame: plot.getBoundingClientRect(),
      }));
      const fits = ({ kept, frame }) => kept === 'avoid' && frame.height <= sheet.height && frame.right <= sheet.width + 1;
      return boxes.filter((box) => !fits(box)).map((box) => `${box.id} (${box.kept}, ${Math.round(box.frame.height)} px)`);
    }, { width, height });
    if (cut.length > 0) found(`${paper} cuts ${cut.slice(0, 3)}`);
    const folded = await tab.evaluate(() => [...document.querySelectorAll('details:not(.screen) > :not(summary)')].filter((part) => !part.checkVisibility({ contentVisibilityAuto: true })).length);
    if (folded > 0) found(`${paper} leaves ${folded} parts folded`);
    const pdf = await tab.pdf({ format: paper, preferCSSPageSize: false });
    if (pdf.length < 5000) found(`${paper} prints nothing`);
    const printed = (pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g) ?? []).length;
    if (paper === 'A4' && (printed === 0 || printed > sheets(basename(page, '.html')))) found(`A4 takes ${printed} sheets`);
    if (paper === 'A4') console.log(`  ${basename(page, '.html')}: ${printed} sheets of A4`);
    await context.close();
  }
}
