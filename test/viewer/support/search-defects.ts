import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import should from 'should';
import { projectFromTop } from './camera-model.js';
import { findPixels, type PixelFilter } from './colors.js';
import { PREPARED_BOX, PREPARED_DEFECTS, type PreparedDefect } from './three-defects.js';
import { decodePng, type Pixels } from './viewer-page.js';

/** Where a user looks for the defects of the prepared model. */
export interface SearchedPlace {
  /** The page with a viewer that shows the prepared model, before a repair. */
  page: Page;
  /** The path of the pictures, without the number and the extension. */
  pictures: string;
}

/**
 * The pixels of a chosen defect are this close to the middle of the picture. In the small picture of the tray, the pin of
 * another place can cover those that are closer.
 */
const MIDDLE_RADIUS = 24;
/** A defect covers about 20 pixels in the view from the top, and its pin may hide a part. */
const OVERVIEW_TOLERANCE = 12;
const MIN_PIXELS = 8;
/** More than the places of the model. */
const MAX_STEPS = 40;

/**
 * Finds the three defects of the prepared model in a viewer by what is on the screen: in the view from the top, the pixels
 * in the color of each kind are where the camera shows its place; and *next defect* brings each kind to the middle of
 * the picture, with the number of the list in its pin. Saves the pictures.
 */
export async function searchDefects({ page, pictures }: SearchedPlace): Promise<void> {
  const canvas = page.locator('canvas[role=application]');
  const decoder = await page.context().browser()?.newPage();
  if (!decoder) throw new Error('The page has no browser.');
  let count = 0;
  const look = async (): Promise<Pixels> => {
    await canvas.and(page.locator('[data-detail=full]')).waitFor();
    const png = await canvas.screenshot();
    count += 1;
    await mkdir(path.dirname(pictures), { recursive: true });
    await writeFile(`${pictures}-${count}.png`, png);
    return decodePng(decoder, png);
  };
  await page.bringToFront();
  await canvas.focus();
  await press(canvas, '5');
  assertOverview(await look());
  const missing = new Set(PREPARED_DEFECTS);
  for (let step = 0; step < MAX_STEPS && missing.size > 0; step++) {
    await press(canvas, 'n');
    const seen = findInMiddle(await look());
    seen.length.should.be.above(0, `nothing in the middle of picture ${count}`);
    for (const defect of seen) missing.delete(defect);
    const pin = await page.locator('.pin.selected:not([hidden])').textContent();
    should(Number.parseInt(pin ?? '', 10)).equal(step + 1);
  }
  should([...missing].map(({ name }) => name)).be.empty();
  await decoder.close();
}

/** Presses a key that draws the picture again. */
async function press(canvas: Locator, key: string): Promise<void> {
  await canvas.evaluate((element) => element.removeAttribute('data-detail'));
  await canvas.press(key);
}

/** Lines are blended with what is behind them at their borders. */
function hasColorOf({ color }: PreparedDefect): PixelFilter {
  return (...pixel) => color.every((component, i) => Math.abs(component - (pixel[i] ?? 0)) < 24);
}

function assertOverview(pixels: Pixels): void {
  for (const defect of PREPARED_DEFECTS) {
    const expected = projectFromTop(PREPARED_BOX, defect.centerMm, pixels.width, pixels.height);
    const found = findPixels(pixels, hasColorOf(defect));
    found.length.should.be.above(MIN_PIXELS, defect.name);
    for (const { x, y } of found) {
      const distance = Math.max(Math.abs(x - expected.x), Math.abs(y - expected.y));
      should(distance).be.below(2 * OVERVIEW_TOLERANCE, `${defect.name} at ${x}, ${y}`);
    }
    const center = (axis: 'x' | 'y') => found.reduce((sum, point) => sum + point[axis], 0) / found.length;
    const offset = Math.hypot(center('x') - expected.x, center('y') - expected.y);
    should(offset).be.below(OVERVIEW_TOLERANCE, defect.name);
  }
}

function findInMiddle(pixels: Pixels): PreparedDefect[] {
  const isNear = ({ x, y }: { x: number; y: number }) =>
    Math.hypot(x - pixels.width / 2, y - pixels.height / 2) < MIDDLE_RADIUS;
  return PREPARED_DEFECTS.filter(
    (defect) => findPixels(pixels, hasColorOf(defect)).filter(isNear).length >= MIN_PIXELS,
  );
}
