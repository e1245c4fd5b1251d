import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { ZipArchive } from '../../src/mesh/formats/zip/zip-reader.js';
import { riggedCollada } from '../mesh/formats/files/collada-skin.js';
import { gltfPair } from '../mesh/formats/files/gltf-pair.js';
import { LEVELS, lodFbx } from '../mesh/formats/files/lod-fbx.js';
import { namedFbxBinary, namedFbxText } from '../mesh/formats/files/named-fbx.js';
import { riggedGltf } from '../mesh/formats/files/rigged-gltf.js';
import { colladaBox, zaeBox } from '../mesh/formats/files/scenes.js';
import { createZip } from '../mesh/formats/zip/zip-bytes.js';
import { makeCube } from '../mesh/models/cube.js';
import type { Structure } from './mutate.js';

/** A file to mutate: its bytes, their structure, and how mutated bytes are packed into a file again. */
export interface Sample {
  filename: string;
  structure: Structure;
  bytes: Buffer;
  wrap?: (bytes: Buffer) => Buffer;
}

const cube = { ...makeCube(), objects: [{ name: 'part', firstTriangle: 0, triangleCount: 6 }] };
function serializeCube(format: string): Buffer {
  return Buffer.concat([...serializeModel(cube, format)]);
}

function createThreeMfModel(): Buffer {
  const text = Buffer.from(new ZipArchive(serializeCube('3mf')).read('3D/3dmodel.model') ?? []).toString();
  const placed =
    '<object id="9"><components><component objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/></components></object>';
  return Buffer.from(
    text.replace('</resources>', `${placed}</resources>`).replace('</build>', '<item objectid="9"/></build>'),
  );
}

function createGltf(): Buffer {
  const glb = serializeCube('glb');
  const length = glb.readUInt32LE(12);
  const json = JSON.parse(glb.toString('utf8', 20, 20 + length));
  json.buffers[0].uri = `data:;base64,${glb.subarray(28 + length).toString('base64')}`;
  return Buffer.from(JSON.stringify(json));
}

const VRML = `#VRML V2.0 utf8
DEF a Transform { rotation 0 0 1 2 scale 1 2 3 children [
 Shape { geometry IndexedFaceSet { coord Coordinate { point [0 0 0, 1 0 0, 1 1 0, 0 1 0] } coordIndex [0 1 2 3 -1 0 2 3] } }
] }
USE a
Shape { geometry Extrusion { spine [0 0 0, 1 0 0, 1 1 0] crossSection [0 0, 1 0, 0 1, 0 0] } }
Shape { geometry Cone { height 3 side FALSE } }
Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [0 1 2 3] } }`;

const X3D = `<X3D><Scene><Transform DEF="a" translation="1 2 3"><Shape><IndexedFaceSet coordIndex="0 1 2 -1">
<Coordinate point="0 0 0 1 0 0 0 1 0"/></IndexedFaceSet></Shape></Transform><Transform USE="a"/>
<Shape><Cylinder radius="2" top="false"/></Shape><Shape><ElevationGrid xDimension="2" zDimension="2" height="0 1 2 3"/></Shape>
<Shape><Extrusion spine="0 0 0 1 0 0 1 1 0"/></Shape></Scene></X3D>`;

const VRML_PROTOTYPES = `#VRML V2.0 utf8
EXTERNPROTO Far [ field SFVec3f size ] "b.wrl"
PROTO Brick [ field SFVec3f size 1 1 1 exposedField MFNode more [ Shape { geometry Box { } } ] ] {
 Group { children IS more children DEF s Shape { geometry Box { size IS size } } children USE s }
}
PROTO Wall [ field SFVec3f size 2 1 1 field SFBool top TRUE ] {
 Transform { children [ Brick { size IS size more [ ] } Brick { } Shape { geometry Cylinder { top IS top } } ] }
}
DEF w Wall { size 3 1 1 top FALSE } USE w Far { size 1 2 3 }
Shape { geometry TriangleStripSet { stripCount [4] coord Coordinate { point [0 0 0, 1 0 0, 1 1 0, 0 1 1] } } }
Shape { geometry TriangleFanSet { fanCount [4] coord Coordinate { point [0 0 0, 1 0 0, 1 1 0, 0 1 1] } } }
Shape { geometry QuadSet { coord Coordinate { point [0 0 0, 1 0 0, 1 1 0, 0 1 0] } } }`;

const X3D_PROTOTYPES = `<X3D><Scene><ProtoDeclare name="Brick"><ProtoInterface>
<field name="size" accessType="initializeOnly" type="SFVec3f" value="1 1 1"/><field name="more" type="MFNode"><Shape><Box/></Shape></field>
</ProtoInterface><ProtoBody><Group><IS><connect nodeField="children" protoField="more"/></IS>
<Shape DEF="s"><Box><IS><connect nodeField="size" protoField="size"/></IS></Box></Shape><Shape USE="s"/></Group></ProtoBody></ProtoDeclare>
<ProtoDeclare name="Wall"><ProtoInterface><field name="brick" value="2 1 1"/></ProtoInterface><ProtoBody><Group>
<ProtoInstance name="Brick"><IS><connect nodeField="size" protoField="brick"/></IS></ProtoInstance><ProtoInstance name="Brick"/></Group></ProtoBody></ProtoDeclare>
<ProtoInstance name="Wall" DEF="w"><fieldValue name="brick" value="3 1 1"/></ProtoInstance><ProtoInstance USE="w"/>
<Shape><IndexedTriangleStripSet index="0 1 2 3 -1 0 1 2"><Coordinate point="0 0 0 1 0 0 1 1 0 0 1 1"/></IndexedTriangleStripSet></Shape>
<Shape><IndexedTriangleFanSet index="0 1 2 3 -1 0 1 2"><Coordinate point="0 0 0 1 0 0 1 1 0 0 1 1"/></IndexedTriangleFanSet></Shape>
<Shape><TriangleSet><Coordinate point="0 0 0 1 0 0 1 1 0"/></TriangleSet></Shape></Scene></X3D>`;

const PLY = `ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
property uchar red
element face 2
property list uchar int vertex_indices
element tristrips 1
property list int int vertex_indices
end_header
0 0 0 1
1 0 0 2
1 1 0 3
0 1 1 4
3 0 1 2
4 0 1 2 3
5 0 1 3 -1 2`;

/** A text before the solid, comments, ends in two words, and a facet without loop lines. */
const STL = `exported facet by facet
solid a ; color
facet normal 0 0 1
 outer loop
 vertex 0 0 0
 vertex 1 0 0 # a comment
 vertex 0 1 0
 end loop
end facet
FACET
 vertex 0 0 0
 vertex 1 0 0
 vertex 1 1 0
 vertex 0 1 1
end_facet
end solid a`;

const OFF = `# a comment
STNCOFF4 2 0
0 0 0 0 0 1 255 0 0 255 0 0
1 0 0 0 0 1 255 0 0 255 0 0
1 1 0 0 0 1 255 0 0 255 0 0
0 1 1 0 0 1 255 0 0 255 0 0
3 0 1
2
4 0 1 2 3 255 0 0`;

const OBJ =
  'mtllib a.mtl\no lid\nv 0 0 0\nv 1 0 0 1 0 0\nv 1 1 0\nv 0 1 1\nvt 0 0\nf 1/1 2/1 3/1\nusemtl red\ng side\nf -4 -3 \\\n-2 -1\\\n\nl 1 2\n# C:\\';

/**
 * Files of every format with a built-in reader, in each of its forms, and of archives. A 3MF and a zipped AMF are
 * mutated both packed and unpacked.
 */
export const BUILT_IN_FILES: Record<string, () => Sample> = {
  'stl, binary': () => ({ filename: 'a.stl', structure: 'bytes', bytes: serializeCube('stl') }),
  'stl, text': () => ({ filename: 'a.stl', structure: 'text', bytes: serializeCube('stl-ascii') }),
  'stl, text of another dialect': () => ({ filename: 'a.stl', structure: 'text', bytes: Buffer.from(STL) }),
  obj: () => ({ filename: 'a.obj', structure: 'text', bytes: Buffer.from(OBJ) }),
  'ply, binary': () => ({ filename: 'a.ply', structure: 'bytes', bytes: serializeCube('ply') }),
  'ply, text': () => ({ filename: 'a.ply', structure: 'text', bytes: Buffer.from(PLY) }),
  off: () => ({ filename: 'a.off', structure: 'text', bytes: serializeCube('off') }),
  'off with colors, normals and textures': () => ({ filename: 'a.off', structure: 'text', bytes: Buffer.from(OFF) }),
  '3mf': () => ({ filename: 'a.3mf', structure: 'bytes', bytes: serializeCube('3mf') }),
  '3mf, its model': () => ({
    filename: 'a.3mf',
    structure: 'xml',
    bytes: createThreeMfModel(),
    wrap: (bytes) => createZip({ '3D/3dmodel.model': bytes }),
  }),
  amf: () => ({ filename: 'a.amf', structure: 'xml', bytes: serializeCube('amf') }),
  'amf, zipped': () => ({ filename: 'a.amf', structure: 'bytes', bytes: createZip({ 'a.amf': serializeCube('amf') }) }),
  glb: () => ({ filename: 'a.glb', structure: 'glb', bytes: serializeCube('glb') }),
  gltf: () => ({ filename: 'a.gltf', structure: 'json', bytes: createGltf() }),
  'gltf, rigged': () => ({ filename: 'a.gltf', structure: 'json', bytes: riggedGltf() }),
  wrl: () => ({ filename: 'a.wrl', structure: 'text', bytes: Buffer.from(VRML) }),
  'wrl with prototypes': () => ({ filename: 'a.wrl', structure: 'text', bytes: Buffer.from(VRML_PROTOTYPES) }),
  'x3d with prototypes': () => ({ filename: 'a.x3d', structure: 'xml', bytes: Buffer.from(X3D_PROTOTYPES) }),
  zip: () => {
    const { gltf, bin } = gltfPair();
    return { filename: 'a.zip', structure: 'bytes', bytes: createZip({ 'a.gltf': gltf, 'cube.bin': bin }) };
  },
  dae: () => ({
    filename: 'a.dae',
    structure: 'xml',
    bytes: colladaBox(0.001, { isMirrored: true, hasMaterial: true }),
  }),
  'dae, rigged': () => ({ filename: 'a.dae', structure: 'xml', bytes: riggedCollada() }),
  zae: () => ({ filename: 'a.zae', structure: 'bytes', bytes: zaeBox() }),
  'fbx, text': () => ({ filename: 'a.fbx', structure: 'text', bytes: namedFbxText() }),
  'fbx, text, with levels': () => ({ filename: 'a.fbx', structure: 'text', bytes: lodFbx(LEVELS, '6, text') }),
  'fbx, binary, with levels': () => ({ filename: 'a.fbx', structure: 'bytes', bytes: lodFbx(LEVELS, '6, binary') }),
  'fbx, binary': () => ({ filename: 'a.fbx', structure: 'bytes', bytes: namedFbxBinary() }),
  x3d: () => ({ filename: 'a.x3d', structure: 'xml', bytes: Buffer.from(X3D) }),
};
