import 'should';
import { MeshError } from '../../src/mesh/core/mesh-error.js';
import { parseOwn } from '../mesh/formats/parse-own.js';

/** Reads; a refusal with a code is as good as a mesh, whose numbers must be sound. Anything else is thrown. */
export function readOrRefuse(bytes: Buffer, filename: string): 'read' | 'refused' {
  try {
    const { mesh } = parseOwn(bytes, { filename });
    const vertexCount = mesh.positions.length / 3;
    mesh.positions.every(Number.isFinite).should.be.true();
    mesh.triangles.every((vertex) => vertex < vertexCount).should.be.true();
    const objects = mesh.objects ?? [];
    const isWithin = objects.every(
      ({ firstTriangle, triangleCount }) => (firstTriangle + triangleCount) * 3 <= mesh.triangles.length,
    );
    isWithin.should.be.true();
    return 'read';
  } catch (error) {
    // A place outside of the file is a mistake of the reader, also where it passes for a lack of memory.
    const isOutside =
      error instanceof MeshError && error.cause instanceof RangeError && /offset/i.test(error.cause.message);
    if (!(error instanceof MeshError) || isOutside) throw error;
    return 'refused';
  }
}
