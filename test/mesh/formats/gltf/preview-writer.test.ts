import { validateBytes } from 'gltf-validator';
import should from 'should';
import type { IndexedMesh } from '../../../../src/mesh/core/mesh.js';
import { serializeGlb } from '../../../../src/mesh/formats/gltf/glb-writer.js';
import { serializePreview } from '../../../../src/mesh/formats/gltf/preview-writer.js';
import { parseModel } from '../../../../src/mesh/formats/parse-model.js';
import { computeBounds } from '../../../../src/mesh/geometry/bounds.js';
import { createPreview } from '../../../../src/mesh/preview/create-preview.js';
import { makeCube } from '../../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../../models/mesh-of.js';
import { makeTorus } from '../../models/torus.js';
import { decodePreview } from '../files/decode-preview.js';

async function preview(mesh: IndexedMesh, maxTriangles = 200_000): Promise<Buffer> {
  return Buffer.concat([...(await serializePreview(await createPreview(mesh, { maxTriangles })))]);
}

/** Returns the triangles of a mesh as text, each rotated and all sorted, so that meshes can be compared. */
function describeTriangles(positions: Float64Array, triangles: Uint32Array): string[] {
  const corners = Array.from(triangles, (v) =>
    Array.from(positions.subarray(v * 3, v * 3 + 3), (c) => c.toFixed(3)).join(),
  );
  const rows = Array.from({ length: corners.length / 3 }, (_, i) => corners.slice(i * 3, i * 3 + 3));
  const rotated = rows.map((row) => {
    const first = row.indexOf(row.slice().sort()[0] ?? '');
    return [...row.slice(first), ...row.slice(0, first)].join(' ');
  });
  return rotated.sort((a, b) => (a < b ? -1 : 1));
}

const HOLED_TORUS = without(turnedOver(makeTorus(200, 100), 20_000), 0);
const CROSSING = joined(makeCube(), makeCube(), placed(makeCube(), [0.5, 0.4, 0.3]));
const MODELS: [name: string, mesh: IndexedMesh, maxTriangles: number][] = [
  ['a cube', makeCube(), 1000],
  ['a damaged torus with a coarse surface', HOLED_TORUS, 30_000],
  ['cubes that cross and overlap', CROSSING, 1000],
  [
    'a flat sheet',
    meshOf(
      [
        [0, 0, 5],
        [1, 0, 5],
        [0, 1, 5],
      ],
      [[0, 1, 2]],
    ),
    1000,
  ],
  [
    'triangles without extent',
    meshOf(
      [
        [1, 2, 3],
        [1, 2, 3],
        [1, 2, 3],
      ],
      [[0, 1, 2]],
    ),
    1000,
  ],
  ['a model far from the origin', placed(makeTorus(), [1e7, -1e7, 1e7], 0.001), 1000],
];

describe('serializePreview', () => {
  for (const [name, mesh, maxTriangles] of MODELS) {
    it(`writes a GLB of ${name} that glTF-Validator accepts, compressed or not`, async () => {
      const glb = await preview(mesh, maxTriangles);
      const { issues } = await validateBytes(glb);
      issues.should.match({ numErrors: 0, numWarnings: 0 });
      const plain = await validateBytes((await decodePreview(glb)).plainGlb);
      plain.issues.should.match({ numErrors: 0, numWarnings: 0 });
    });
  }

  it('writes a GLB without a surface of a mesh without triangles', async () => {
    const glb = await preview(meshOf([], []));
    const { issues } = await validateBytes(glb);
    issues.should.match({ numErrors: 0, numWarnings: 0 });
    const json = JSON.parse(glb.subarray(20).toString());
    should(json.meshes).be.undefined();
    should(json.asset.extras).match({ triangles: 0, trianglesShown: 0, deviationMm: 0, report: { places: [] } });
  });

  it('keeps each triangle and its winding, within half a step of the grid', async () => {
    const torus = makeTorus();
    const { scenes } = await decodePreview(await preview(torus));
    const [surface] = scenes[0] ?? [];
    if (!surface) throw new Error('There is no surface.');
    const snap = (positions: Float64Array) => {
      const { min } = computeBounds(torus.positions);
      const stepMm = 52 / 65_535;
      return positions.map((value, i) => Math.round((value - (min[i % 3] ?? 0)) / stepMm));
    };
    describeTriangles(snap(surface.positions), surface.indices).should.deepEqual(
      describeTriangles(snap(torus.positions), torus.triangles),
    );
  });

  it('writes the coarse surface as a second scene', async () => {
    const { json, scenes } = await decodePreview(await preview(HOLED_TORUS, 30_000));
    json.scene.should.equal(0);
    should(scenes[0]?.[0]?.indices.length).be.within(29_000 * 3, 30_000 * 3);
    should(scenes[1]?.map(({ indices }) => indices.length <= 60_000)).deepEqual([true]);
    should((await decodePreview(await preview(makeCube()))).scenes).have.length(1);
  });

  it('writes each kind of defect as a primitive of lines or triangles, with its counts', async () => {
    const { scenes } = await decodePreview(await preview(HOLED_TORUS, 1000));
    const [, boundary, inconsistent] = scenes[0] ?? [];
    should(boundary).match({ mode: 1, extras: { kind: 'boundaryEdge', count: 3, countShown: 3 } });
    should(inconsistent).match({ mode: 1, extras: { kind: 'inconsistentEdge', count: 3, countShown: 3 } });
    should(boundary?.indices).have.length(6);
    const crossing = await decodePreview(await preview(CROSSING));
    const faces = crossing.scenes[0]?.slice(1).map(({ mode, extras }) => [mode, extras?.kind]);
    should(faces).deepEqual([
      [4, 'intersectingTriangle'],
      [4, 'overlappingTriangle'],
    ]);
  });

  it('places the defects where the report does', async () => {
    const { json, scenes } = await decodePreview(await preview(HOLED_TORUS, 1000));
    const { positions = new Float64Array(), indices = new Uint32Array() } = scenes[0]?.[1] ?? {};
    const middles = Array.from({ length: 3 }, (_, edge) =>
      [0, 1, 2].map((k) => {
        const [a = 0, b = 0] = indices.subarray(edge * 2, edge * 2 + 2);
        return ((positions[a * 3 + k] ?? 0) + (positions[b * 3 + k] ?? 0)) / 2;
      }),
    );
    const places: { defect: string; x: number; y: number; z: number }[] = json.asset.extras.report.places;
    for (const { x, y, z } of places.filter(({ defect }) => defect === 'boundaryEdge')) {
      const distances = middles.map(([mx = 0, my = 0, mz = 0]) => Math.hypot(mx - x, my - y, mz - z));
      Math.min(...distances).should.be.below(0.002);
    }
  });

  it('contains the report and how much of the model it shows', async () => {
    const { json } = await decodePreview(await preview(HOLED_TORUS, 1000));
    const { report, triangles, trianglesShown, deviationMm } = json.asset.extras;
    report.should.match({ after: { boundaryEdges: 3 }, verdict: { level: 'open' } });
    report.places.should.have.length(6);
    [triangles, report.after.triangles].should.deepEqual([39_999, 39_999]);
    should(trianglesShown).be.within(900, 1000);
    should(deviationMm).be.above(0);
  });

  it('gives the same vertex of a model before and after a repair the same place', async () => {
    const [before, after] = await Promise.all([without(makeTorus(), 0), makeTorus()].map((mesh) => preview(mesh)));
    if (!before || !after) throw new Error('There are two previews.');
    const [boundary] = (await decodePreview(before)).scenes[0]?.slice(1) ?? [];
    const [repaired] = (await decodePreview(after)).scenes[0] ?? [];
    const points = (positions: Float64Array = new Float64Array()) =>
      Array.from({ length: positions.length / 3 }, (_, i) => positions.subarray(i * 3, i * 3 + 3));
    for (const [x = 0, y = 0, z = 0] of points(boundary?.positions)) {
      const distances = points(repaired?.positions).map((p) =>
        Math.hypot((p[0] ?? 0) - x, (p[1] ?? 0) - y, (p[2] ?? 0) - z),
      );
      Math.min(...distances).should.be.below(0.0014);
    }
  });

  it('is read by the reader of GLB files, in millimeters', async () => {
    const { mesh } = await parseModel(await preview(makeTorus()), { filename: 'part.glb' });
    should(mesh.triangles.length).equal(makeTorus().triangles.length);
    const { min, max } = computeBounds(mesh.positions);
    [...min, ...max].forEach((value, i) => {
      value.should.be.approximately([-26, -26, -6, 26, 26, 6][i] ?? Number.NaN, 0.1);
    });
  });

  it('writes the same bytes for the same model', async () => {
    (await preview(HOLED_TORUS, 30_000)).equals(await preview(HOLED_TORUS, 30_000)).should.be.true();
  });

  it('is much smaller than the exported GLB', async () => {
    const mesh = makeTorus(400, 200);
    const exported = Buffer.concat([...serializeGlb(mesh)]).length;
    should((await preview(mesh)).length).be.below(exported * 0.25);
  });
});
