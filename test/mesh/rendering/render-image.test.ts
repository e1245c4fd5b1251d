import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { type RasterImage, renderImage } from '../../../src/mesh/rendering/render-image.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';

const FRONT = { x: 0, y: 0, z: 0 };

const draw = (mesh: IndexedMesh, angles = FRONT, more = {}): RasterImage =>
  renderImage(mesh, { width: 80, height: 60, angles, isTransparent: true, ...more });

const pixelAt = ({ width, pixels }: RasterImage, x: number, y: number): number[] => [
  ...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
];

const isBlue = ([red = 0, , blue = 0, opacity]: number[]): boolean => opacity === 255 && blue > red + 10;
const isOrange = ([red = 0, green = 0, blue = 0, opacity]: number[]): boolean =>
  opacity === 255 && red > green + 40 && green > blue;
const isRed = ([red = 0, green = 0, , opacity]: number[]): boolean => opacity === 255 && red > 180 && green < 80;

const count = ({ pixels }: RasterImage, is: (pixel: number[]) => boolean): number => {
  let matchCount = 0;
  for (let offset = 0; offset < pixels.length; offset += 4)
    if (is([...pixels.subarray(offset, offset + 4)])) matchCount++;
  return matchCount;
};

/** The columns and rows in which something is drawn. */
const extentOf = (picture: RasterImage) => {
  const xs: number[] = [];
  const ys: number[] = [];
  for (let i = 0; i < picture.width * picture.height; i++) {
    if (picture.pixels[i * 4 + 3] === 0) continue;
    xs.push(i % picture.width);
    ys.push(Math.floor(i / picture.width));
  }
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
};

/** A bar along z, ten times as high as wide. */
const bar = (): IndexedMesh => ({
  ...makeCube(),
  positions: makeCube().positions.map((value, i) => (i % 3 === 2 ? value * 10 : value)),
});

describe('drawPicture', () => {
  it('shows the front of a sound model in blue-grey, whole, with a margin all round', () => {
    const picture = draw(makeTorus(), { x: 40, y: 10, z: 30 });
    isBlue(pixelAt(picture, 12, 30)).should.be.true();
    count(picture, isOrange).should.equal(0);
    count(picture, isRed).should.equal(0);
    const { left, right, top, bottom } = extentOf(picture);
    should(Math.min(left, top, 79 - right, 59 - bottom)).be.above(1);
    should(right - left > 60 || bottom - top > 45).be.true();
  });

  it('looks along the y axis, z up', () => {
    const { left, right, top, bottom } = extentOf(draw(bar()));
    should(bottom - top).be.above((right - left) * 5);
    should(top).be.below(6);
  });

  // Of a cube that lacks one side the inside of the opposite one is seen: its back.
  const SIDES: [string, number[], { x: number; y: number; z: number }][] = [
    ['tilts the top toward the viewer by the angle x', [2, 3], { x: 90, y: 0, z: 0 }],
    ['shows the bottom by a negative angle x', [0, 1], { x: -90, y: 0, z: 0 }],
    ['turns the left side to the front by the angle z', [10, 11], { x: 0, y: 0, z: 90 }],
    ['turns the right side to the front by a negative angle z', [6, 7], { x: 0, y: 0, z: -90 }],
  ];
  for (const [what, missing, angles] of SIDES) {
    it(what, () => {
      const open = without(makeCube(), ...missing);
      isOrange(pixelAt(draw(open, angles), 40, 30)).should.be.true();
      isBlue(pixelAt(draw(open), 40, 30)).should.be.true();
    });
  }

  it('rolls the picture clockwise by the angle y', () => {
    const tip = meshOf(
      [
        [-1, 0, 0],
        [1, 0, 0],
        [0, 0, 20],
      ],
      [[0, 1, 2]],
    );
    const { left, right, top, bottom } = extentOf(draw(tip, { x: 0, y: 90, z: 0 }));
    should(right - left).be.above((bottom - top) * 5);
    const columnHeight = (x: number): number =>
      Array.from({ length: 60 }, (_, y) => pixelAt(draw(tip, { x: 0, y: 90, z: 0 }), x, y)[3] ?? 0).filter(Boolean)
        .length;
    columnHeight(left + 2).should.be.above(columnHeight(right - 2));
  });

  it('shows the back of a triangle in orange and open edges in red, but not those behind something', () => {
    isOrange(pixelAt(draw(turnedOver(makeCube())), 40, 30)).should.be.true();
    count(draw(without(makeCube(), 4)), isRed).should.be.above(30);
    const behind = joined(placed(makeCube(), [0, -5, 0], 3), without(makeCube(), 4));
    count(draw(behind), isRed).should.equal(0);
  });

  it('draws smooth outlines: pixels there are half covered', () => {
    const picture = draw(makeTorus(), { x: 90, y: 0, z: 0 });
    count(picture, (pixel) => (pixel[3] ?? 0) > 0 && (pixel[3] ?? 0) < 255).should.be.above(50);
  });

  it('covers every pixel with a background unless that is to be transparent', () => {
    count(draw(makeCube(), FRONT, { isTransparent: false }), (pixel) => pixel[3] === 255).should.equal(80 * 60);
    pixelAt(draw(makeCube()), 0, 0).should.deepEqual([0, 0, 0, 0]);
  });

  it('gives the same picture for the same model, however much of it is held at a time', () => {
    const angles = { x: 30, y: 5, z: 20 };
    const picture = draw(makeTorus(), angles);
    should(draw(makeTorus(), angles)).deepEqual(picture);
    should(draw(makeTorus(), angles, { samplesPerBand: 20_000 })).deepEqual(picture);
  });

  it('gives the same picture of a model of any size, anywhere', () => {
    const angles = { x: 30, y: 0, z: 20 };
    const picture = draw(makeCube(), angles);
    for (const mesh of [
      placed(makeCube(), [0, 0, 0], 1e9),
      placed(makeCube(), [0, 0, 0], 1e-9),
      placed(makeCube(), [512, -1024, 64]),
    ]) {
      const other = draw(mesh, angles);
      let different = 0;
      for (let i = 0; i < picture.pixels.length; i++)
        if (Math.abs((picture.pixels[i] ?? 0) - (other.pixels[i] ?? 0)) > 2) different++;
      different.should.be.below(40);
    }
  });

  it('takes a flat sheet seen from its side, a point, and nothing at all', () => {
    const sheet = meshOf(
      [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
      ],
      [[0, 1, 2]],
    );
    const point = meshOf([[5, 5, 5]], [[0, 0, 0]]);
    for (const mesh of [sheet, point]) draw(mesh).pixels.length.should.equal(80 * 60 * 4);
    count(draw(meshOf([], [])), (pixel) => pixel[3] !== 0).should.equal(0);
  });

  it('ignores vertices that no triangle uses', () => {
    const cube = makeCube();
    const stray = { ...cube, positions: Float64Array.from([...cube.positions, 1000, 1000, 1000]) };
    should(draw(stray)).deepEqual(draw(cube));
  });
});
