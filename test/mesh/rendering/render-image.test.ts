import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { type RasterImage, renderImage } from '../../../src/mesh/rendering/render-image.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';

const FRONT = { x: 0, y: 0, z: 0 };

function render(mesh: IndexedMesh, angles = FRONT, options = {}): RasterImage {
  return renderImage(mesh, { width: 80, height: 60, angles, isTransparent: true, ...options });
}

function pixelAt({ width, pixels }: RasterImage, x: number, y: number): number[] {
  return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

function isBlue([red = 0, , blue = 0, opacity]: number[]): boolean {
  return opacity === 255 && blue > red + 10;
}
function isOrange([red = 0, green = 0, blue = 0, opacity]: number[]): boolean {
  return opacity === 255 && red > green + 40 && green > blue;
}
function isRed([red = 0, green = 0, , opacity]: number[]): boolean {
  return opacity === 255 && red > 180 && green < 80;
}

function count({ pixels }: RasterImage, predicate: (pixel: number[]) => boolean): number {
  let matchCount = 0;
  for (let offset = 0; offset < pixels.length; offset += 4)
    if (predicate([...pixels.subarray(offset, offset + 4)])) matchCount++;
  return matchCount;
}

/** Returns the range of columns and rows with covered pixels. */
function findExtent(image: RasterImage) {
  const xs: number[] = [];
  const ys: number[] = [];
  for (let i = 0; i < image.width * image.height; i++) {
    if (image.pixels[i * 4 + 3] === 0) continue;
    xs.push(i % image.width);
    ys.push(Math.floor(i / image.width));
  }
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

/** A bar along z, ten times as high as it is wide. */
function makeBar(): IndexedMesh {
  return {
    ...makeCube(),
    positions: makeCube().positions.map((value, i) => (i % 3 === 2 ? value * 10 : value)),
  };
}

describe('renderImage', () => {
  it('renders a solid in blue-gray, completely, with a margin on all sides', () => {
    const image = render(makeTorus(), { x: 40, y: 10, z: 30 });
    isBlue(pixelAt(image, 12, 30)).should.be.true();
    count(image, isOrange).should.equal(0);
    count(image, isRed).should.equal(0);
    const { left, right, top, bottom } = findExtent(image);
    should(Math.min(left, top, 79 - right, 59 - bottom)).be.above(1);
    should(right - left > 60 || bottom - top > 45).be.true();
  });

  it('looks along the y axis, z up', () => {
    const { left, right, top, bottom } = findExtent(render(makeBar()));
    should(bottom - top).be.above((right - left) * 5);
    should(top).be.below(6);
  });

  // Through the missing side of a cube, the back of the opposite side is visible.
  const SIDES: [string, number[], { x: number; y: number; z: number }][] = [
    ['tilts the top toward the viewer by a positive angle x', [2, 3], { x: 90, y: 0, z: 0 }],
    ['shows the bottom by a negative angle x', [0, 1], { x: -90, y: 0, z: 0 }],
    ['turns the left side to the front by a positive angle z', [10, 11], { x: 0, y: 0, z: 90 }],
    ['turns the right side to the front by a negative angle z', [6, 7], { x: 0, y: 0, z: -90 }],
  ];
  for (const [what, missing, angles] of SIDES) {
    it(what, () => {
      const open = without(makeCube(), ...missing);
      isOrange(pixelAt(render(open, angles), 40, 30)).should.be.true();
      isBlue(pixelAt(render(open), 40, 30)).should.be.true();
    });
  }

  it('rolls the image clockwise by the angle y', () => {
    const tip = meshOf(
      [
        [-1, 0, 0],
        [1, 0, 0],
        [0, 0, 20],
      ],
      [[0, 1, 2]],
    );
    const { left, right, top, bottom } = findExtent(render(tip, { x: 0, y: 90, z: 0 }));
    should(right - left).be.above((bottom - top) * 5);
    const columnHeight = (x: number): number =>
      Array.from({ length: 60 }, (_, y) => pixelAt(render(tip, { x: 0, y: 90, z: 0 }), x, y)[3] ?? 0).filter(Boolean)
        .length;
    columnHeight(left + 2).should.be.above(columnHeight(right - 2));
  });

  it('renders back sides in orange and visible boundary edges in red', () => {
    isOrange(pixelAt(render(turnedOver(makeCube())), 40, 30)).should.be.true();
    count(render(without(makeCube(), 4)), isRed).should.be.above(30);
    const behind = joined(placed(makeCube(), [0, -5, 0], 3), without(makeCube(), 4));
    count(render(behind), isRed).should.equal(0);
  });

  it('antialiases silhouettes by partially covered pixels', () => {
    const image = render(makeTorus(), { x: 90, y: 0, z: 0 });
    count(image, (pixel) => (pixel[3] ?? 0) > 0 && (pixel[3] ?? 0) < 255).should.be.above(50);
  });

  it('fills every pixel with the background unless it is transparent', () => {
    count(render(makeCube(), FRONT, { isTransparent: false }), (pixel) => pixel[3] === 255).should.equal(80 * 60);
    pixelAt(render(makeCube()), 0, 0).should.deepEqual([0, 0, 0, 0]);
  });

  it('is deterministic, for any number of samples per band', () => {
    const angles = { x: 30, y: 5, z: 20 };
    const image = render(makeTorus(), angles);
    should(render(makeTorus(), angles)).deepEqual(image);
    should(render(makeTorus(), angles, { samplesPerBand: 20_000 })).deepEqual(image);
  });

  it('returns the same image for a model of any size and position', () => {
    const angles = { x: 30, y: 0, z: 20 };
    const image = render(makeCube(), angles);
    for (const mesh of [
      placed(makeCube(), [0, 0, 0], 1e9),
      placed(makeCube(), [0, 0, 0], 1e-9),
      placed(makeCube(), [512, -1024, 64]),
    ]) {
      const other = render(mesh, angles);
      let different = 0;
      for (let i = 0; i < image.pixels.length; i++)
        if (Math.abs((image.pixels[i] ?? 0) - (other.pixels[i] ?? 0)) > 2) different++;
      different.should.be.below(40);
    }
  });

  it('renders a sheet edge-on, a point and an empty mesh', () => {
    const sheet = meshOf(
      [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
      ],
      [[0, 1, 2]],
    );
    const point = meshOf([[5, 5, 5]], [[0, 0, 0]]);
    for (const mesh of [sheet, point]) render(mesh).pixels.length.should.equal(80 * 60 * 4);
    count(render(meshOf([], [])), (pixel) => pixel[3] !== 0).should.equal(0);
  });

  it('ignores vertices that no triangle uses', () => {
    const cube = makeCube();
    const withUnusedVertex = { ...cube, positions: Float64Array.from([...cube.positions, 1000, 1000, 1000]) };
    should(render(withUnusedVertex)).deepEqual(render(cube));
  });
});
