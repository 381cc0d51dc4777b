"""Large corpora parsed shard by shard, by many processes, in runs that can be killed."""
