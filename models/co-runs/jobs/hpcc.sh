#!/bin/bash
# Runs the HPC Challenge benchmarks in one process, for matrices of N by N, and checks the results. Not in several: their
# messages are waited for in busy loops, and where cores are shared, time says more about the scheduler than about the work.
# Usage: hpcc.sh SCRATCH N
set -euo pipefail
cd "$1"
# Its input is a fixed list of lines; the words after the numbers are comments.
cat >hpccinf.txt <<END
HPLinpack benchmark input file
one problem
HPL.out      output file name
8            device out
1            # of problem sizes
$2           Ns
1            # of NBs
80           NBs
0            PMAP
1            # of process grids
1            Ps
1            Qs
16.0         threshold
1            # of panel fact
2            PFACTs
1            # of recursive stopping criteria
4            NBMINs
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs
1            # of broadcast
1            BCASTs
1            # of lookahead depth
1            DEPTHs
2            SWAP
64           swapping threshold
0            L1 form
0            U form
1            Equilibration
8            memory alignment in double
##### ignored
0            additional problem sizes for PTRANS
1200         values of N
0            additional blocking sizes for PTRANS
40           values of NB
END
# Not bound to a core, since other jobs may use it. TMPDIR holds what mpirun shares.
export TMPDIR=$1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm_rsh_agent=
mpirun -np 1 --allow-run-as-root --oversubscribe --bind-to none hpcc </dev/null
grep -E '^(Success|HPL_N|HPL_time|MPIRandomAccess_time|MPIFFT_N)=' hpccoutf.txt
grep -q '^Success=1$' hpccoutf.txt
! grep -q 'FAILED' hpccoutf.txt
