import { createZip } from '../zip/zip-bytes.js';
import { BOX_FACES, BOX_POINTS, BOX_POINTS_Y_UP, BOX_TRIANGLES } from './box.js';

/** The unit (in cm) and axes that an FBX declares. */
export interface FbxSettings {
  unitScale?: number;
  /** Right, up and front axis (0: x) with sign -1 if reversed. Default: not declared. */
  axes?: Record<'coord' | 'up' | 'front', readonly [axis: number, sign: number]>;
  /** Property of the node of the box → its numbers. */
  properties?: Record<string, readonly number[]>;
}

/** Returns an ASCII FBX with a box whose points are unchanged, whatever its axes are. */
export function fbxBox(
  { unitScale, axes, properties: nodeProperties = {} }: FbxSettings,
  points: readonly (readonly number[])[],
): Buffer {
  const properties: string[] = [];
  const add = (name: string, value: number): void => {
    const type = Number.isInteger(value) && name !== 'UnitScaleFactor' ? '"int", "Integer"' : '"double", "Number"';
    properties.push(`    P: "${name}", ${type}, "",${value}`);
  };
  for (const [name, [axis, sign]] of Object.entries(axes ?? {})) {
    const long = `${name.charAt(0).toUpperCase()}${name.slice(1)}Axis`;
    add(long, axis);
    add(`${long}Sign`, sign);
  }
  if (unitScale !== undefined) add('UnitScaleFactor', unitScale);
  const corners = BOX_FACES.map(([a, b, c, d]) => [a, b, c, -d - 1].join()).join();
  return Buffer.from(`; FBX 7.4.0 project file
FBXHeaderExtension:  {
  FBXHeaderVersion: 1003
  FBXVersion: 7400
}
GlobalSettings:  {
  Version: 1000
  Properties70:  {
${properties.join('\n')}
  }
}
Definitions:  {
  Version: 100
  Count: 2
  ObjectType: "Model" {
    Count: 1
  }
  ObjectType: "Geometry" {
    Count: 1
  }
}
Objects:  {
  Geometry: 1001, "Geometry::", "Mesh" {
    Vertices: *24 {
      a: ${points.flat().join()}
    }
    PolygonVertexIndex: *24 {
      a: ${corners}
    }
    GeometryVersion: 124
  }
  Model: 2001, "Model::lid", "Mesh" {
    Version: 232
    Properties70:  {
${Object.entries(nodeProperties)
  .map(
    ([name, numbers]) =>
      `      P: "${name}", "${name.startsWith('Lcl') ? name : 'Vector3D'}", "", "A",${numbers.join()}`,
  )
  .join('\n')}
    }
    Shading: T
    Culling: "CullingOff"
  }
}
Connections:  {
  C: "OO",2001,0
  C: "OO",1001,2001
}
`);
}

/**
 * Returns a Collada file of the box. `meter` is its unit in meters; optionally mirrored by its scene, or with a
 * material.
 */
export function colladaBox(meter: number, { isMirrored = false, hasMaterial = false } = {}): Buffer {
  const materials = hasMaterial
    ? `<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse><color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m" name="red"><instance_effect url="#e"/></material></library_materials>`
    : '';
  const bind = hasMaterial
    ? '<bind_material><technique_common><instance_material symbol="m" target="#m"/></technique_common></bind_material>'
    : '';
  return Buffer.from(`<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="${meter}"/><up_axis>Z_UP</up_axis></asset>
${materials}
<library_geometries><geometry id="g" name="g"><mesh>
<source id="p"><float_array id="f" count="24">${BOX_POINTS.flat().join(' ')}</float_array>
<technique_common><accessor source="#f" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="6" ${hasMaterial ? 'material="m"' : ''}><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 4 4 4 4 4</vcount><p>${BOX_FACES.flat().join(' ')}</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n" name="lid">${isMirrored ? '<scale>-1 1 1</scale>' : ''}<instance_geometry url="#g">${bind}</instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
`);
}

/** Returns a ZAE whose manifest names the second of its two Collada files. */
export function zaeBox(): Buffer {
  return createZip({
    'manifest.xml': '<dae_root>./models/box.dae#s</dae_root>',
    'empty.dae': '<COLLADA/>',
    'models/box.dae': colladaBox(1),
  });
}

/** Returns an AC3D of the box, with Y up. */
export function acBox(): Buffer {
  const surfaces = BOX_FACES.map(
    (face) => `SURF 0x0\nmat 0\nrefs 4\n${face.map((corner) => `${corner} 0 0`).join('\n')}`,
  );
  return Buffer.from(`AC3Db
MATERIAL "red" rgb 1 0 0 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 10 trans 0
OBJECT world
kids 1
OBJECT poly
name "lid"
numvert 8
${BOX_POINTS_Y_UP.map((point) => point.join(' ')).join('\n')}
numsurf 6
${surfaces.join('\n')}
kids 0
`);
}

/** Returns an AC3D of two boxes: a rotated one with data, and its kid beside it. */
export function acBoxWithKid(): Buffer {
  const [head, object] = acBox()
    .toString()
    .split(/(?=OBJECT poly)/);
  const parent = object?.replace('kids 0', 'kids 1').replace('numvert', 'data 3\nabc\nrot 0 1 0 -1 0 0 0 0 1\nnumvert');
  return Buffer.from(`${head}${parent}${object?.replace('numvert', 'loc 10 0 0\nnumvert')}`);
}

/** Returns an ASE of the box, with Z up. */
export function aseBox(): Buffer {
  const vertices = BOX_POINTS.map((point, i) => `\t\t\t*MESH_VERTEX ${i}\t${point.join('\t')}`);
  const faces = BOX_TRIANGLES.map(
    ([a, b, c], i) =>
      `\t\t\t*MESH_FACE ${i}: A: ${a} B: ${b} C: ${c} AB: 1 BC: 1 CA: 1\t*MESH_SMOOTHING 1 \t*MESH_MTLID 0`,
  );
  return Buffer.from(`*3DSMAX_ASCIIEXPORT\t200
*GEOMOBJECT {
\t*NODE_NAME "lid"
\t*NODE_TM {
\t\t*NODE_NAME "lid"
\t\t*TM_ROW0 1 0 0
\t\t*TM_ROW1 0 1 0
\t\t*TM_ROW2 0 0 1
\t\t*TM_ROW3 0 0 0
\t}
\t*MESH {
\t\t*TIMEVALUE 0
\t\t*MESH_NUMVERTEX 8
\t\t*MESH_NUMFACES 12
\t\t*MESH_VERTEX_LIST {
${vertices.join('\n')}
\t\t}
\t\t*MESH_FACE_LIST {
${faces.join('\n')}
\t\t}
\t}
}
`);
}

/** Returns a DirectX file of the box: Y up and left-handed, so its winding is reversed. */
export function xBox(): Buffer {
  const points = BOX_POINTS_Y_UP.map(([x, y, z]) => `${x};${y};${-(z ?? 0)};`);
  const faces = BOX_FACES.map((face) => `4;${face.toReversed().join(';')};`);
  return Buffer.from(`xof 0303txt 0032
Frame lid {
  Mesh {
    8;
    ${points.join(',\n    ')};
    6;
    ${faces.join(',\n    ')};
  }
}
`);
}
