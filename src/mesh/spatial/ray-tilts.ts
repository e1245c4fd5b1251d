/** ray → its deviation from a unit vector. Rays in different directions outvote those that leave through a hole. */
export const RAY_TILTS: readonly (readonly number[])[] = [
  [0, 0, 0],
  [0.31, -0.17, 0.13],
  [-0.23, 0.29, 0.11],
  [0.07, 0.19, -0.33],
  [-0.21, -0.27, -0.15],
];
