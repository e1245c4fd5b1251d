import should from 'should';
import { analyzeWithPlaces } from '../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { serializePreview } from '../../src/mesh/formats/gltf/preview-writer.js';
import { createPreview, type Preview } from '../../src/mesh/preview/create-preview.js';
import { readPreview } from '../../src/viewer/preview/read-preview.js';
import { makeTorus } from '../mesh/models/torus.js';
import { registerViewerBench } from './support/viewer-bench.js';

const [RINGS, SIDES] = [2501, 2000];
const MISSING_COUNT = 4000;
const FLIPPED_COUNT = 10_000;

/** Returns whether a triangle is missing or flipped; those that are touch no other one. Each quad has two triangles. */
function defectOf(ring: number, side: number): 'missing' | 'flipped' | undefined {
  if (side % 50 !== 0) return undefined;
  if (ring % 10 === 0 && ring < 1000) return 'missing';
  return ring % 10 === 5 ? 'flipped' : undefined;
}

/** Creates a torus of ten million triangles with these defects, and lists the vertices of the missing triangles. */
function makeLargeTorus(): { mesh: IndexedMesh; missing: number[][] } {
  const positions = new Float64Array(RINGS * SIDES * 3);
  const triangles = new Uint32Array((RINGS * SIDES * 2 - MISSING_COUNT) * 3);
  const missing: number[][] = [];
  let end = 0;
  const add = (a: number, b: number, c: number) => {
    triangles[end++] = a;
    triangles[end++] = b;
    triangles[end++] = c;
  };
  for (let ring = 0; ring < RINGS; ring++) {
    const angle = (2 * Math.PI * ring) / RINGS;
    for (let side = 0; side < SIDES; side++) {
      const sideAngle = (2 * Math.PI * side) / SIDES;
      const radius = 20 + 6 * Math.cos(sideAngle);
      const vertex = ring * SIDES + side;
      positions[vertex * 3] = radius * Math.cos(angle);
      positions[vertex * 3 + 1] = radius * Math.sin(angle);
      positions[vertex * 3 + 2] = 6 * Math.sin(sideAngle);
      const nextSide = ring * SIDES + ((side + 1) % SIDES);
      const nextRing = ((ring + 1) % RINGS) * SIDES + side;
      const opposite = ((ring + 1) % RINGS) * SIDES + ((side + 1) % SIDES);
      const defect = defectOf(ring, side);
      if (defect === 'missing') missing.push([vertex, nextRing, opposite]);
      else if (defect === 'flipped') add(vertex, opposite, nextRing);
      else add(vertex, nextRing, opposite);
      add(vertex, opposite, nextSide);
    }
  }
  return { mesh: { positions, triangles }, missing };
}

function toEdges(vertices: Iterable<number>): string[] {
  const list = [...vertices];
  return list
    .flatMap((a, i) => (i % 2 === 0 ? [[a, list[i + 1] ?? a].sort((p, q) => p - q).join('-')] : []))
    .sort((p, q) => (p < q ? -1 : 1));
}

describe('a model of ten million triangles', function () {
  this.timeout(900_000);
  let preview: Preview;
  let file: Uint8Array;
  let missing: number[][];
  const bench = registerViewerBench(async () => {
    const { mesh, missing: removed } = makeLargeTorus();
    missing = removed;
    // As of an import: only the search for intersections depends on the counts.
    const { analysis, places } = analyzeWithPlaces(makeTorus());
    const counts = { triangles: mesh.triangles.length / 3, badEdges: MISSING_COUNT * 3 + FLIPPED_COUNT * 3 };
    const analyzed = { analysis: { ...analysis, ...counts }, places };
    preview = await createPreview(mesh, { maxTriangles: 200_000, analyzed });
    file = Buffer.concat([...(await serializePreview(preview))]);
    return { large: file };
  });

  it('is simplified to the limit, with a coarse surface for movements', () => {
    should(preview.mesh.triangles.length / 3).equal(10_000_000);
    should(preview.surface.triangles.length / 3).be.within(150_000, 200_000);
    should((preview.coarseSurface?.triangles.length ?? 0) / 3).be.within(10_000, 20_000);
  });

  it('has its defects exactly: all of a kind up to 20,000, and the number of all', () => {
    const counts = preview.defects.map(({ kind, count, countShown }) => ({ kind, count, countShown }));
    should(counts).deepEqual([
      { kind: 'boundaryEdge', count: MISSING_COUNT * 3, countShown: MISSING_COUNT * 3 },
      { kind: 'inconsistentEdge', count: FLIPPED_COUNT * 3, countShown: 20_000 },
    ]);
    const boundary = toEdges(preview.defects[0]?.vertices ?? []);
    const expected = toEdges(missing.flatMap(([a = 0, b = 0, c = 0]) => [a, b, b, c, c, a]));
    should(boundary.join()).equal(expected.join());
  });

  it('is shown with a label that says so', async () => {
    const viewer = await bench.open();
    await viewer.show('large');
    // Without the triangles that are smaller than the grid of the file.
    const { trianglesShown } = readPreview(file);
    trianglesShown.should.be.within(150_000, 200_000);
    const shown = trianglesShown.toLocaleString('en');
    await viewer.page.locator('.label').getByText(`${shown} of 10,000,000 triangles shown`).waitFor();
    await viewer.page.getByText('30,000 inconsistently wound edges (20,000 shown)').first().waitFor();
    await viewer.page.screenshot({ path: 'test/viewer/pictures/ten-million.png' });
  });
});
