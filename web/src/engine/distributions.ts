/** The distribution of jStat that statistics need, with its type. */
import jstat from "jstat";

interface StudentT {
  inv(p: number, degrees: number): number;
}

export const { studentt } = jstat as unknown as { studentt: StudentT };
