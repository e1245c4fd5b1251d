// Reads a 3MF with the WASM build of lib3mf and copies its meshes to JavaScript, as a Node program that needs the
// triangles has to: with one call per vertex and triangle, because this build has no other way.
import { readFileSync } from 'node:fs';
import loadLib3mf from '@3mfconsortium/lib3mf';

const lib = await loadLib3mf();
lib.FS.writeFile('/model.3mf', readFileSync(process.argv[2]));
const model = new lib.CWrapper().CreateModel();
model.QueryReader('3mf').ReadFromFile('/model.3mf');
const objects = model.GetMeshObjects();
while (objects.MoveNext()) copyMesh(objects.GetCurrentMeshObject());
// The library keeps the process alive.
process.exit(0);

function copyMesh(mesh) {
  const positions = new Float64Array(mesh.GetVertexCount() * 3);
  for (let i = 0; i < positions.length; i += 3) {
    const vertex = mesh.GetVertex(i / 3);
    positions.set([vertex.get_Coordinates0(), vertex.get_Coordinates1(), vertex.get_Coordinates2()], i);
    vertex.delete();
  }
  const triangles = new Uint32Array(mesh.GetTriangleCount() * 3);
  for (let i = 0; i < triangles.length; i += 3) {
    const triangle = mesh.GetTriangle(i / 3);
    triangles.set([triangle.get_Indices0(), triangle.get_Indices1(), triangle.get_Indices2()], i);
    triangle.delete();
  }
  return { positions, triangles };
}
