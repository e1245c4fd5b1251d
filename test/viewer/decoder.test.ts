import { createHash } from 'node:crypto';
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import should from 'should';
import { type Primitive, readPreview } from '../../src/viewer/preview/read-preview.js';
import { makeCube } from '../mesh/models/cube.js';
import { joined, placed, without } from '../mesh/models/mesh-of.js';
import { makeTorus } from '../mesh/models/torus.js';
import { previewBracket, previewOf } from './support/previews.js';

/** Decodes all buffer views of a preview with the decoder in WebAssembly. */
function decodeByWasm(preview: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(preview);
  const jsonEnd = 20 + bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, jsonEnd).toString());
  const binary = bytes.subarray(jsonEnd + 8);
  return json.bufferViews.map((view: { extensions: { EXT_meshopt_compression: Record<string, number> } }) => {
    const { count = 0, byteStride = 0, byteOffset = 0, byteLength = 0, mode } = view.extensions.EXT_meshopt_compression;
    const target = new Uint8Array(count * byteStride);
    const source = new Uint8Array(binary.subarray(byteOffset, byteOffset + byteLength));
    MeshoptDecoder.decodeGltfBuffer(target, count, byteStride, source, String(mode));
    return target;
  });
}

function toBytes({ positions, indices }: Primitive): Uint8Array[] {
  return [new Uint8Array(positions.buffer), new Uint8Array(indices.buffer)];
}

describe('the reader of previews', () => {
  before(() => MeshoptDecoder.ready);

  it('decodes the same bytes as the decoder of meshoptimizer in WebAssembly', async () => {
    const { damaged, repaired } = await previewBracket();
    const crossing = joined(makeCube(), placed(makeCube(), [0.5, 0.4, 0.3]));
    const previews = [damaged, repaired, await previewOf(crossing), await previewOf(makeTorus(300, 200), 30_000)];
    for (const preview of previews) {
      const { surface, defects, coarseSurface } = readPreview(preview);
      const primitives = [surface, ...(coarseSurface ? [coarseSurface] : []), ...defects];
      const hashes = (arrays: Uint8Array[]): string[] =>
        arrays
          .map((array) => `${array.length} ${createHash('sha256').update(array).digest('hex')}`)
          .sort((a, b) => (a < b ? -1 : 1));
      should(hashes(primitives.flatMap(toBytes))).deepEqual(hashes(decodeByWasm(preview)));
    }
  });

  it('reads the report, the counts and the defects by kind', async () => {
    const preview = readPreview(await previewOf(without(makeCube(), 0)));
    preview.report.verdict.level.should.equal('open');
    should(preview.triangles).equal(11);
    preview.defects.should.match([{ kind: 'boundaryEdge', count: 3, countShown: 3, verticesPerElement: 2 }]);
    should(preview.coarseSurface).be.undefined();
  });

  it('reads a preview of a model without triangles', async () => {
    const preview = readPreview(await previewOf({ positions: new Float64Array(), triangles: new Uint32Array() }));
    preview.should.match({ trianglesShown: 0, defects: [] });
    should(preview.surface.indices.length).equal(0);
  });

  it('refuses other files, and parts of a preview', async () => {
    const whole = await previewOf(makeCube());
    for (const bytes of [new Uint8Array(), new Uint8Array(64), whole.subarray(0, 40), whole.subarray(0, 1200)])
      (() => readPreview(bytes)).should.throw({ code: 'PREVIEW_INVALID' });
  });
});
