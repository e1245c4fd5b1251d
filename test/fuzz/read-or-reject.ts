import 'should';
import { MeshError } from '../../src/mesh/core/mesh-error.js';
import { parseOwn } from '../mesh/formats/parse-own.js';

/**
 * Parses a file and checks that the mesh is valid. Returns `refused` if the reader rejects it with a code. Throws
 * anything else.
 */
export function readOrReject(bytes: Buffer, filename: string): 'read' | 'refused' {
  try {
    const { mesh } = parseOwn(bytes, { filename });
    const vertexCount = mesh.positions.length / 3;
    mesh.positions.every(Number.isFinite).should.be.true();
    mesh.triangles.every((vertex) => vertex < vertexCount).should.be.true();
    const objects = mesh.objects ?? [];
    const areObjectsValid = objects.every(
      ({ firstTriangle, triangleCount }) => (firstTriangle + triangleCount) * 3 <= mesh.triangles.length,
    );
    areObjectsValid.should.be.true();
    return 'read';
  } catch (error) {
    // An offset outside of the file is a bug of the reader, even if it is reported as insufficient memory.
    const isOutOfBounds =
      error instanceof MeshError && error.cause instanceof RangeError && /offset/i.test(error.cause.message);
    if (!(error instanceof MeshError) || isOutOfBounds) throw error;
    return 'refused';
  }
}
