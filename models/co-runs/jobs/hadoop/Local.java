import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskCounter;

/** What the jobs share: MapReduce inside one Java process, two tasks at a time, all files in the scratch folder. */
final class Local {
    static Configuration configuration(String scratch) {
        Configuration conf = new Configuration();
        conf.set("fs.defaultFS", "file:///");
        conf.set("hadoop.tmp.dir", scratch + "/hadoop");
        conf.set("mapreduce.jobtracker.staging.root.dir", scratch + "/hadoop/staging");
        conf.set("mapreduce.framework.name", "local");
        conf.setInt("mapreduce.local.map.tasks.maximum", 2);
        conf.setInt("mapreduce.local.reduce.tasks.maximum", 2);
        // Two reducers share the memory of one process; by default each would take most of it.
        conf.setFloat("mapreduce.reduce.shuffle.input.buffer.percent", 0.2f);
        // A job's end is looked for every 5 s by default.
        conf.setInt("mapreduce.client.completion.pollinterval", 100);
        conf.setInt("mapreduce.client.progressmonitor.pollinterval", 100);
        return conf;
    }

    static void run(Job job) throws Exception {
        check(job.waitForCompletion(false), job.getJobName() + " failed");
        System.out.println(job.getJobName() + ": " + count(job, TaskCounter.MAP_INPUT_RECORDS) + " records in, "
                + count(job, TaskCounter.SPILLED_RECORDS) + " spilled, "
                + count(job, TaskCounter.REDUCE_OUTPUT_RECORDS) + " out");
    }

    static long count(Job job, Enum<?> counter) throws Exception {
        return job.getCounters().findCounter(counter).getValue();
    }

    static void check(boolean holds, String message) {
        if (!holds) {
            throw new IllegalStateException("wrong result: " + message);
        }
    }

    static Path path(String folder, String name) {
        return new Path("file://" + folder + "/" + name);
    }

    private Local() {}
}
