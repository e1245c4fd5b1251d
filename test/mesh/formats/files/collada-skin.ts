import { BOX_FACES, BOX_POINTS } from './box.js';

/** What `colladaSkin` may vary. All of it is XML, unless it says otherwise. */
export interface SkinParts {
  asset?: string;
  primitives?: string;
  /** More geometries. */
  geometries?: string;
  /** More controllers. */
  controllers?: string;
  /** The source of the skin. Default: the box. */
  skinned?: string;
  bindShape?: string;
  /** The names of the joints, in the order of `vertex_weights`. */
  joints?: string;
  jointArray?: 'Name_array' | 'IDREF_array' | 'SIDREF_array';
  /** The names in the order of the inverse bind matrices. Default: as `joints`. */
  boundJoints?: string;
  inverseBinds?: readonly string[];
  weights?: string;
  vcount?: string;
  v?: string;
  /** The nodes of the scene. The controller is `#c`. */
  nodes: string;
  libraries?: string;
}

export const MATRIX = '1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1';
/** A box of 1 x 2 x 3 whose lower points belong to joint 0 and whose upper ones to joint 1. */
const UPPER = BOX_POINTS.map(([, , z]) => (z > 0 ? 1 : 0));

export function source(id: string, array: string, values: string, stride: number, parameters = ''): string {
  const count = values.trim().split(/\s+/).length;
  return `<source id="${id}"><${array} id="${id}-a" count="${count}">${values}</${array}><technique_common>
<accessor source="#${id}-a" count="${count / stride}" stride="${stride}">${parameters}</accessor></technique_common></source>`;
}

/** Returns a mesh of the box, moved and stretched. */
export function boxGeometry(id: string, primitives = '', move: (point: readonly number[]) => number[] = (p) => [...p]) {
  const points = BOX_POINTS.map((point) => move(point).join(' ')).join(' ');
  return `<geometry id="${id}"><mesh>${source(`${id}-p`, 'float_array', points, 3)}
<vertices id="${id}-v"><input semantic="POSITION" source="#${id}-p"/></vertices>${primitives}</mesh></geometry>`;
}

export const VERTEX = '<input semantic="VERTEX" source="#g-v" offset="0"/>';
const POLYLIST = `<polylist count="6">${VERTEX}<vcount>4 4 4 4 4 4</vcount><p>${BOX_FACES.flat().join(' ')}</p></polylist>`;

/** Returns a Collada file in mm with Z up whose box is moved by a skin. */
export function colladaSkin({
  asset = '<unit meter="0.001"/><up_axis>Z_UP</up_axis>',
  primitives = POLYLIST,
  geometries = '',
  controllers = '',
  skinned = '#g',
  bindShape = `<bind_shape_matrix>${MATRIX}</bind_shape_matrix>`,
  joints = 'lower upper',
  jointArray = 'Name_array',
  boundJoints = joints,
  inverseBinds = [MATRIX, MATRIX],
  weights = '1',
  vcount = UPPER.map(() => 1).join(' '),
  v = UPPER.map((joint) => `${joint} 0`).join(' '),
  nodes,
  libraries = '',
}: SkinParts): Buffer {
  return Buffer.from(`<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>${asset}</asset>
<library_geometries>${boxGeometry('g', primitives)}${geometries}</library_geometries>
<library_controllers>${controllers}<controller id="c"><skin source="${skinned}">${bindShape}
${source('cj', jointArray, joints, 1)}${source('bj', jointArray, boundJoints, 1)}
${source('cb', 'float_array', inverseBinds.join(' '), 16)}${source('cw', 'float_array', weights, 1)}
<joints><input semantic="JOINT" source="#bj"/><input semantic="INV_BIND_MATRIX" source="#cb"/></joints>
<vertex_weights count="8"><input semantic="JOINT" source="#cj" offset="0"/><input semantic="WEIGHT" source="#cw" offset="1"/>
<vcount>${vcount}</vcount><v>${v}</v></vertex_weights></skin></controller></library_controllers>${libraries}
<library_visual_scenes><visual_scene id="s">${nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`);
}

/** Returns a Collada file of the box with a polygon that has a hole, a skin and a morph target. */
export function riggedCollada(): Buffer {
  const [bottom = [], ...faces] = BOX_FACES;
  const polygons = faces.map((face) => `<p>${face.join(' ')}</p>`).join('');
  const hole = `<ph><p>${bottom.join(' ')}</p><h>0 1 2</h></ph>`;
  const morph = `<controller id="m"><morph source="#g">${source('mt', 'IDREF_array', 'wide', 1)}${source('mw', 'float_array', '0,5', 1)}
<targets><input semantic="MORPH_TARGET" source="#mt"/><input semantic="MORPH_WEIGHT" source="#mw"/></targets></morph></controller>`;
  return colladaSkin({
    primitives: `<polygons>${VERTEX}${hole}${polygons}</polygons>`,
    geometries: boxGeometry('wide', '', ([x = 0, y = 0, z = 0]) => [x * 3, y, z]),
    controllers: morph,
    skinned: '#m',
    nodes: `<node id="rig" sid="lower"><node sid="upper"><translate>0 0 1</translate></node></node>
<node><instance_controller url="#c"><skeleton>#rig</skeleton></instance_controller></node>`,
  });
}
